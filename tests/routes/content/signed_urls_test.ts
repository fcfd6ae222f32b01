// Addresses of files that need no token: what they open, and when they end.
import assert from "node:assert/strict";
import { newApiKey } from "../../../services/accounts/api_keys.ts";
import { apiKeys } from "../../../models/api_keys.ts";
import { SIGNED_FOR } from "../../../services/content/signed_urls.ts";
import { type Ask, type Harness, harness } from "../../harness.ts";
import { form, png } from "../../uploads.ts";

async function fileOf(h: Harness): Promise<string> {
  await h.grant("user", "files:create", "files:update", "files:delete");
  const body = form({ bytes: png("first") });
  return (await h.ask("POST", "/api/files/upload", { as: "user", body })).data.id;
}

async function addressOf(h: Harness, id: string, { ask = { as: "user" }, query = "" }: {
  ask?: Ask;
  query?: string;
} = {}): Promise<string> {
  const reply = await h.ask("GET", `/api/files/${id}/download-url${query}`, ask);
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.headers.get("cache-control"), "no-store");
  return reply.data.url;
}

Deno.test("signed addresses: one opens the version it was made for, without a token, whole or in part", async () => {
  await using h = await harness();
  const id = await fileOf(h);
  const url = await addressOf(h, id);
  const whole = await h.ask("GET", url);
  assert.equal(whole.status, 200);
  assert.match(whole.headers.get("content-disposition")!, /^attachment; /);
  const part = await h.ask("GET", url, { headers: { range: "bytes=1-3" } });
  assert.deepEqual([part.status, part.text], [206, "PNG"]);
  const body = form({ bytes: png("the second one"), fields: { fileId: id } });
  await h.ask("POST", "/api/files/upload", { as: "user", body });
  assert.equal((await h.ask("GET", url)).headers.get("etag"), whole.headers.get("etag"));
  const shown = await h.ask("GET", await addressOf(h, id, { query: "?disposition=inline" }));
  assert.match(shown.headers.get("content-disposition")!, /^inline; /);
  assert.match(shown.headers.get("content-security-policy")!, /sandbox/);
});

Deno.test("signed addresses: what runs is saved, not shown", async () => {
  await using h = await harness();
  await fileOf(h);
  const bytes = new TextEncoder().encode("<svg xmlns='http://www.w3.org/2000/svg'/>");
  const page = form({ bytes, name: "a.svg", type: "image/svg+xml" });
  const { data } = await h.ask("POST", "/api/files/upload", { as: "user", body: page });
  const url = await addressOf(h, data.id, { query: "?disposition=inline" });
  assert.match((await h.ask("GET", url)).headers.get("content-disposition")!, /^attachment; /);
});

Deno.test("signed addresses: they end with their time, the session, the right and the file", async () => {
  await using h = await harness({ variant: "full" });
  const id = await fileOf(h);
  const old = await addressOf(h, id);
  h.clock.advance(SIGNED_FOR - 1);
  assert.equal((await h.ask("GET", old)).status, 200);
  h.clock.advance(1);
  assert.equal((await h.ask("GET", old)).status, 403);

  const share = { as: "user" as const, body: { userId: h.accounts.other.id } };
  const { data: shared } = await h.ask("POST", `/api/files/${id}/share`, share);
  const lent = await addressOf(h, id, { ask: { as: "other" } });
  assert.equal((await h.ask("GET", lent)).status, 200);
  await h.ask("DELETE", `/api/files/${id}/share/${shared.id}`, { as: "user" });
  assert.equal((await h.ask("GET", lent)).status, 404);

  const { body: login } = await h.ask("POST", "/api/auth/login", {
    body: { email: "user@example.com", password: "correct horse battery" },
  });
  const token = login.accessToken;
  const own = await addressOf(h, id, { ask: { token } });
  const kept = await addressOf(h, id);
  await h.ask("POST", "/api/auth/logout", { token });
  assert.equal((await h.ask("GET", own)).status, 403);
  assert.equal((await h.ask("GET", kept)).status, 200);
  await h.ask("DELETE", `/api/files/${id}`, { as: "user" });
  assert.equal((await h.ask("GET", kept)).status, 404);
});

Deno.test("signed addresses: a changed one, another file's and a guessed one open nothing", async () => {
  await using h = await harness();
  const [first, second] = [await fileOf(h), await fileOf(h)];
  const url = await addressOf(h, first);
  const token = url.slice(url.indexOf("token=") + "token=".length);
  const [grant = "", signature = ""] = token.split(".");
  const read = JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(grant, BASE64URL)));
  const forged = new TextEncoder().encode(JSON.stringify({ ...read, file: second, until: 9e15 }));
  for (
    const [id, token] of [
      [second, `${grant}.${signature}`],
      [second, `${forged.toBase64(BASE64URL)}.${signature}`],
      [first, `${grant}.`],
      [first, `${grant}.${"A".repeat(43)}`],
      [first, grant],
      [first, "."],
      [first, "%00"],
    ]
  ) {
    const reply = await h.ask("GET", `/api/files/${id}/signed?token=${token}`);
    assert.equal(reply.status, 403, `${token}: ${reply.text}`);
  }
  assert.equal((await h.ask("GET", `/api/files/${first}/signed`)).status, 400);
  assert.equal(
    (await h.ask("GET", `/api/files/${first}/download-url`, { as: "other" })).status,
    404,
  );
});

const BASE64URL = { alphabet: "base64url", omitPadding: true } as const;

Deno.test("signed addresses: those given to a program end with its key", async () => {
  await using h = await harness();
  const id = await fileOf(h);
  const { key: secret, keyHash, start } = newApiKey();
  const key = await h.store.transact({ userId: null }, (tx) =>
    tx.insert(apiKeys, {
      userId: h.accounts.user.id,
      name: "Program",
      keyHash,
      start,
      scopes: ["files:view"],
      addresses: [],
    }));
  const url = await addressOf(h, id, { ask: { token: secret } });
  assert.equal((await h.ask("GET", url)).status, 200);
  await h.store.transact({ userId: null }, async (tx) => {
    tx.remove(apiKeys, (await tx.from(apiKeys).get(key.id))!);
  });
  assert.equal((await h.ask("GET", url)).status, 403);
});
