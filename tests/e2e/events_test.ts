// Streams of events of a server that is killed, and of one that is stopped.
import assert from "node:assert/strict";
import { openStore } from "../../storage/open.ts";
import { journalOf, markFinished } from "../../storage/state.ts";
import { client, signIn } from "../client.ts";
import { Listener } from "../event_stream.ts";
import { type Server, startServer } from "../server.ts";
import { persistently, until } from "../until.ts";

const PASSWORD = "told after a crash";

async function listenTo({ origin }: Server, token: string, lastEventId: string): Promise<Listener> {
  const response = await persistently(() =>
    fetch(`${origin}/api/events?collections=documents`, {
      headers: {
        authorization: `Bearer ${token}`,
        ...(lastEventId ? { "last-event-id": lastEventId } : {}),
      },
    })
  );
  assert.equal(response.status, 200);
  return new Listener(response);
}

Deno.test("events: what is acknowledged before kill -9 is told once, before it or after", async () => {
  const first = await startServer({ ADMIN_PASSWORD: PASSWORD });
  const token = await signIn(first, PASSWORD);
  const ask = client(first, token);
  const before = await listenTo(first, token, "earliest");
  const acknowledged: string[] = [];
  let killed: Promise<unknown> | undefined;
  await Promise.allSettled(Array.from({ length: 100 }, async (_, n) => {
    const { status, body } = await ask("POST", "/api/documents", { title: `${n}` });
    if (status === 201) acknowledged.push(body.data.id);
    if (acknowledged.length >= 50) killed ??= first.stop("SIGKILL");
  }));
  await killed;
  await before.end();
  const second = await startServer({}, first.folder);
  try {
    const after = await listenTo(second, token, before.lastEventId);
    const last = await client(second, token)("POST", "/api/documents", { title: "last" });
    await after.event("documents.created", last.body.data.id);
    const told = [...before.events, ...after.events].map(({ data }) => data.id as string);
    assert.equal(new Set(told).size, told.length, "something was told twice");
    assert.deepEqual(acknowledged.filter((id) => !told.includes(id)), [], "something was not told");
    // A stop ends the streams at once, and is not held up by them.
    const { code } = await second.stop();
    assert.equal(code, 0);
    await until(() => after.ended, "the end of the stream");
  } finally {
    await second.stop();
    await Deno.remove(first.folder, { recursive: true });
  }
});

Deno.test("events: a restored store is served with the name of its own journal in the ids", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const url = `sqlite:${folder}/restored.db`;
    const store = await openStore({ url });
    await markFinished(store);
    const journal = await journalOf(store);
    await store.close();
    await using server = await startServer({ DATABASE_URL: url, ADMIN_PASSWORD: PASSWORD });
    const body = JSON.stringify({ email: "admin@example.com", password: PASSWORD });
    const headers = { "content-type": "application/json" };
    const login = await fetch(`${server.origin}/api/auth/login`, { method: "POST", headers, body });
    assert.equal(login.status, 200, await login.text());
    assert.ok(login.headers.get("x-journal-position")?.startsWith(`${journal}~`));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
