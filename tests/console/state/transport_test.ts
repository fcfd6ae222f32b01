// How the console's requests leave: with a proof of who one is, asked for once, where the server wants one.
import assert from "node:assert/strict";
import {
  createTransport,
  proofAsked,
  secondFactorAsked,
  withoutReadings,
} from "../../../console/state/transport.ts";
import { until } from "../../until.ts";

const URL_ = "http://localhost/api/things";
const refused = (code: string) =>
  Response.json({ code, detail: code, status: 403 }, {
    status: 403,
    headers: { "x-request-id": "r1" },
  });

interface Sent {
  readonly method: string;
  readonly body: string;
  readonly headers: Headers;
}

/** A server that refuses the first requests. */
function server(refusals: readonly string[], mayProve = true) {
  const sent: Sent[] = [];
  const left = [...refusals];
  let wanted = 0;
  const transport = createTransport({
    mayProve() {
      wanted++;
      return mayProve;
    },
    async fetch(input, init) {
      const request = new Request(input, init);
      const { method, headers } = request;
      sent.push({ method, headers, body: await request.text() });
      const code = left.shift();
      return code === undefined ? Response.json({ success: true }) : refused(code);
    },
  });
  return { sent, transport, proofsWanted: () => wanted };
}

const post = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

/** Waits until the person is asked. */
async function asked() {
  await until(() => proofAsked.peek() !== null, "the question");
  return proofAsked.peek()!;
}

Deno.test("transport: errors are asked for with their code, in the console's language", async () => {
  const { sent, transport } = server([]);
  await transport(URL_);
  await transport(URL_, { headers: { accept: "text/event-stream" } });
  assert.match(sent[0]!.headers.get("accept")!, /^application\/problem\+json, application\/json/);
  assert.equal(sent[1]!.headers.get("accept"), "text/event-stream");
  assert.equal(sent[0]!.headers.get("accept-language"), "en");
});

Deno.test("transport: what needs a proof is sent once more after it, whole", async () => {
  const { sent, transport } = server(["STEP_UP_REQUIRED"]);
  const answer = transport(URL_, post({ name: "one" }));
  (await asked()).answer(true);
  assert.equal((await answer).status, 200);
  assert.equal(proofAsked.peek(), null);
  assert.deepEqual(sent.map(({ method, body }) => [method, body]), [
    ["POST", '{"name":"one"}'],
    ["POST", '{"name":"one"}'],
  ]);
});

Deno.test("transport: two that need a proof ask once", async () => {
  const { sent, transport, proofsWanted } = server(["STEP_UP_REQUIRED", "STEP_UP_REQUIRED"]);
  const answers = Promise.all([transport(URL_), transport(URL_, post({}))]);
  const first = await asked();
  await until(() => proofsWanted() === 2, "the second refusal");
  assert.equal(proofAsked.peek(), first);
  first.answer(true);
  assert.deepEqual((await answers).map(({ status }) => status), [200, 200]);
  assert.equal(sent.length, 4);
});

Deno.test("transport: without a proof the refusal says so in words for people, and nothing is sent", async () => {
  const { sent, transport } = server(["STEP_UP_REQUIRED"]);
  const answer = transport(URL_, post({}));
  (await asked()).answer(false);
  const response = await answer;
  const { code, detail } = await response.json();
  assert.deepEqual([response.status, code], [403, "STEP_UP_REQUIRED"]);
  assert.match(detail, /Nothing was changed/);
  assert.equal(response.headers.get("x-request-id"), "r1");
  assert.equal(sent.length, 1);
});

Deno.test("transport: who acts as somebody else is not asked", async () => {
  const { transport } = server(["STEP_UP_REQUIRED"], false);
  const response = await transport(URL_, post({}));
  assert.equal(response.status, 403);
  assert.equal((await response.json()).code, "STEP_UP_REQUIRED");
  assert.equal(proofAsked.peek(), null);
});

Deno.test("transport: other refusals pass as they are; the one for a second factor is told", async () => {
  const { sent, transport } = server(["FORBIDDEN", "MFA_REQUIRED"]);
  secondFactorAsked.value = false;
  assert.equal((await (await transport(URL_)).json()).code, "FORBIDDEN");
  assert.equal(secondFactorAsked.peek(), false);
  assert.equal((await (await transport(URL_)).json()).code, "MFA_REQUIRED");
  assert.equal(secondFactorAsked.peek(), true);
  assert.equal(sent.length, 2);
  secondFactorAsked.value = false;
});

Deno.test("transport: the permission that was missing is told, and the refusal passes as it is", async () => {
  const errors = [{ field: "permission", message: "users:view", code: "missing_permission" }];
  const missing: string[] = [];
  const transport = createTransport({
    mayProve: () => true,
    onMissing: (permission) => missing.push(permission),
    fetch: () => Promise.resolve(Response.json({ code: "FORBIDDEN", errors }, { status: 403 })),
  });
  assert.deepEqual(await (await transport(URL_)).json(), { code: "FORBIDDEN", errors });
  assert.deepEqual(missing, ["users:view"]);
});

Deno.test("transport: that no answer came is told in words for people; what was given up is not", async () => {
  const failing = (cause: Error) =>
    createTransport({ mayProve: () => true, fetch: () => Promise.reject(cause) });
  const cause = new TypeError("Failed to fetch");
  await assert.rejects(failing(cause)(URL_), (error: Error) => {
    assert.match(error.message, /^The server cannot be reached/);
    return error instanceof TypeError && error.cause === cause;
  });
  const aborted = new DOMException("given up", "AbortError");
  await assert.rejects(failing(aborted)(URL_), (error) => error === aborted);
});

Deno.test("transport: whoever signs out ends what is read, and nothing is read before that is done", async () => {
  const sent: string[] = [];
  const away = Promise.withResolvers<void>();
  const transport = createTransport({
    mayProve: () => false,
    async fetch(input, init) {
      const { method, url } = new Request(input, init);
      init?.signal?.throwIfAborted();
      sent.push(`${method} ${url.split("/").at(-1)}`);
      if (url.endsWith("slow")) {
        await Promise.race([
          away.promise,
          new Promise((_, reject) => init!.signal!.onabort = () => reject(init!.signal!.reason)),
        ]);
      }
      return Response.json({});
    },
  });
  const aborted = { name: "AbortError" };
  const slow = assert.rejects(transport("http://localhost/slow"), aborted);
  await until(() => sent.length === 1);
  await withoutReadings(async () => {
    await slow;
    await assert.rejects(transport("http://localhost/late"), aborted);
    await transport("http://localhost/logout", post({}));
  });
  await transport("http://localhost/next");
  assert.deepEqual(sent, ["GET slow", "POST logout", "GET next"]);
});
