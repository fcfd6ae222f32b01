// The console follows the server's events: what they tell of is read again, and nothing is missed where a stream breaks.
import assert from "node:assert/strict";
import { mock } from "node:test";
import { setImmediate } from "node:timers";
import { QueryObserver } from "@tanstack/query-core";
import { place } from "../../../console/state/place.ts";

// The session is kept in memory, and asks an address that is whole: both are decided when its module loads.
Object.defineProperty(globalThis, "localStorage", { value: undefined });
Object.assign(place, { api: "http://console.test/api" });
const { connected, followLive, onEvent } = await import("../../../console/state/live.ts");
const { far } = await import("../../../console/state/batches.ts");
const { queries } = await import("../../../console/state/query.ts");
const { session, user } = await import("../../../console/state/session.ts");

/** Milliseconds in which changes are gathered, as in console/state/live.ts. */
const GATHER = 250;

const { fetch: platformFetch } = globalThis;

/** A turn of the event loop, whatever the clock says that is moved by hand. */
const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

async function until(holds: () => boolean, what: string): Promise<void> {
  for (let turns = 0; !holds(); turns++) {
    assert.ok(turns < 1000, what);
    await turn();
  }
}

/** Nothing but the clock moves anything any more: answers and streams take a few turns, no time. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await turn();
}

interface Stream {
  /** Where it was asked to go on. */
  readonly after: string | null;
  send(type: string, id: string, data?: Record<string, unknown>): void;
  break(): void;
}

/** A server of events, a clock that is moved by hand, and somebody who is signed in. */
function scene() {
  const streams: Stream[] = [];
  const asked: string[] = [];
  const reads: Record<string, number> = {};
  const refusals: number[] = [];
  const stopped: (() => void)[] = [];
  mock.timers.enable({ apis: ["setTimeout"] });
  mock.method(Math, "random", () => 1);

  function stream(after: string | null): Response {
    let controller: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({ start: (one) => void (controller = one) });
    const encoder = new TextEncoder();
    streams.push({
      after,
      send: (type, id, data = {}) =>
        controller.enqueue(
          encoder.encode(`event: ${type}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`),
        ),
      break: () => controller.error(new TypeError("cut off")),
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }

  globalThis.fetch = (input) => {
    const url = new URL((input as Request).url);
    asked.push(url.pathname.replace("/api", ""));
    if (url.pathname === "/api/users/me") {
      return Promise.resolve(Response.json({ success: true, data: { id: "me", name: "Me" } }));
    }
    // For streams, and for the renewal of a token.
    const refusal = refusals.shift();
    return Promise.resolve(
      refusal === undefined
        ? stream(url.searchParams.get("lastEventId"))
        : Response.json({ code: "REFUSED", status: refusal }, { status: refusal }),
    );
  };

  return {
    streams,
    reads,
    /** Statuses with which the next requests for a stream are refused. */
    refusals,
    count: (path: string) => asked.filter((one) => one === path).length,
    /** Shows what is read of a collection. */
    async show(collection: string) {
      reads[collection] = 0;
      const observer = new QueryObserver(queries, {
        queryKey: [collection],
        queryFn: () => reads[collection]!++,
      });
      stopped.push(observer.subscribe(() => {}));
      await until(() => reads[collection] === 1, `${collection} is read`);
    },
    listen(listener: Parameters<typeof onEvent>[0]) {
      stopped.push(onEvent(listener));
    },
    signIn(id = "me") {
      session.begin({ accessToken: "a token", expiresIn: 1e6 });
      user.value = { id } as NonNullable<typeof user.value>;
    },
    opened: (count: number) =>
      until(() => streams.length === count && connected.peek() === true, `stream ${count} opens`),
    pass: (milliseconds: number) => mock.timers.tick(milliseconds),
    async [Symbol.asyncDispose]() {
      session.end();
      user.value = null;
      await settled();
      for (const stop of stopped) stop();
      queries.clear();
      mock.timers.reset();
      mock.restoreAll();
      globalThis.fetch = platformFetch;
    },
  };
}

followLive();

Deno.test("live: what events tell of is read again once, with what is made of it, and nothing else", async () => {
  await using s = scene();
  await Promise.all(["documents", "dashboard", "users"].map(s.show));
  s.signIn();
  await s.opened(1);
  const heard: string[] = [];
  s.listen(({ id }) => heard.push(id));
  for (const id of ["1", "2", "3"]) {
    s.streams[0]!.send("documents.updated", id, { collection: "documents", id: "a" });
  }
  await until(() => heard.length === 3, "the events are told at once");
  s.pass(GATHER - 1);
  await settled();
  assert.deepEqual(s.reads, { documents: 1, dashboard: 1, users: 1 });
  s.pass(1);
  await settled();
  assert.deepEqual(s.reads, { documents: 2, dashboard: 2, users: 1 });
  // What comes after that is read again, too.
  s.streams[0]!.send("users.updated", "4", { collection: "users", id: "somebody" });
  await until(() => heard.length === 4, "another event");
  s.pass(GATHER);
  await settled();
  assert.deepEqual(s.reads, { documents: 2, dashboard: 3, users: 2 });
});

Deno.test("live: while many are worked through, what they concern is read once, afterwards", async () => {
  await using s = scene();
  await s.show("trash");
  s.signIn();
  await s.opened(1);
  const heard: string[] = [];
  s.listen(({ id }) => heard.push(id));
  far.value = 0;
  for (const id of ["1", "2", "3"]) {
    s.streams[0]!.send("documents.created", id, { collection: "documents", id });
    await until(() => heard.at(-1) === id, `event ${id}`);
    s.pass(GATHER);
    await settled();
  }
  assert.deepEqual(s.reads, { trash: 1 });
  far.value = null;
  s.pass(GATHER);
  await settled();
  assert.deepEqual(s.reads, { trash: 2 });
});

Deno.test("live: a stream that breaks goes on after the last event, and says so meanwhile", async () => {
  await using s = scene();
  s.signIn();
  await s.opened(1);
  assert.equal(s.streams[0]!.after, null);
  const heard: string[] = [];
  s.listen(({ id }) => heard.push(id));
  s.streams[0]!.send("users.updated", "41", { collection: "users", id: "x" });
  s.streams[0]!.send("users.updated", "42", { collection: "users", id: "x" });
  await until(() => heard.length === 2, "two events");
  s.streams[0]!.break();
  await until(() => connected.peek() === false, "it is told that the stream is not open");
  s.pass(3000);
  await s.opened(2);
  assert.equal(s.streams[1]!.after, "42");
  s.streams[1]!.send("users.updated", "43", { collection: "users", id: "x" });
  await until(() => heard.length === 3, "what comes then");
  assert.deepEqual(heard, ["41", "42", "43"]);
});

Deno.test("live: where what was missed is not kept any more, all that is shown is read again", async () => {
  await using s = scene();
  await Promise.all(["documents", "roles"].map(s.show));
  s.signIn();
  await s.opened(1);
  s.streams[0]!.send("reset", "100");
  await until(() => s.reads.documents === 2 && s.reads.roles === 2, "both are read again");
});

Deno.test("live: a server that is away is asked ever more seldom, every 30 seconds at least", async () => {
  await using s = scene();
  s.refusals.push(503, 503, 503, 503, 503, 503);
  s.signIn();
  let tries = 1;
  for (const wait of [3000, 6000, 12_000, 24_000, 30_000, 30_000]) {
    await until(() => s.count("/events") === tries, `try ${tries}`);
    await settled();
    s.pass(wait - 1);
    await settled();
    assert.equal(s.count("/events"), tries, `nothing is asked before ${wait} ms`);
    s.pass(1);
    tries++;
  }
  await s.opened(1);
  // What comes shows that it is back: the next break is waited for as the first one was.
  const heard: string[] = [];
  s.listen(({ id }) => heard.push(id));
  s.streams[0]!.send("users.updated", "1", { collection: "users", id: "x" });
  await until(() => heard.length === 1, "an event");
  s.streams[0]!.break();
  await until(() => connected.peek() === false, "the break is told");
  s.pass(3000);
  await s.opened(2);
});

Deno.test("live: who may not be told is not asked again; who is signed in no more is found out", async () => {
  for (const [status, who] of [[403, "me"], [401, undefined]] as const) {
    await using s = scene();
    // The second one for the renewal of a token that is refused.
    s.refusals.push(status, status);
    s.signIn();
    await until(() => s.count("/events") === 1, "the stream is asked for");
    await settled();
    assert.equal(user.peek()?.id, who);
    s.pass(600_000);
    await settled();
    assert.equal(s.count("/events"), 1);
  }
});

Deno.test("live: what one may do is read again when one's account or a role changes", async () => {
  await using s = scene();
  s.signIn();
  await s.opened(1);
  s.streams[0]!.send("users.updated", "1", { collection: "users", id: "somebody else" });
  s.streams[0]!.send("users.updated", "2", { collection: "users", id: "me" });
  await until(() => s.count("/users/me") === 1, "one's own account");
  s.streams[0]!.send("roles.updated", "3", { collection: "roles", id: "any" });
  await until(() => s.count("/users/me") === 2, "a role");
  s.streams[0]!.send("reset", "4");
  await until(() => s.count("/users/me") === 3, "what was told to nobody, such as one's own role");
});

Deno.test("live: the stream is that of whoever is signed in", async () => {
  await using s = scene();
  s.signIn("first");
  await s.opened(1);
  s.streams[0]!.send("users.updated", "7", { collection: "users", id: "x" });
  await settled();
  user.value = null;
  await settled();
  s.pass(600_000);
  await settled();
  assert.equal(s.streams.length, 1, "nobody is told anything");
  s.signIn("second");
  await s.opened(2);
  assert.equal(
    s.streams[1]!.after,
    null,
    "what the one before has seen is not where the next begins",
  );
});
