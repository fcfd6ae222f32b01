// The audit log by the API: who may see it, what it tells, what it keeps to itself.
import assert from "node:assert/strict";
import { auditLog } from "../../../models/audit.ts";
import { harness, PASSWORD } from "../../harness.ts";

Deno.test("audit: only who holds audit:view sees it", async () => {
  await using h = await harness();
  const { rows: [entry] } = await h.store.from(auditLog).list({ limit: 1 });
  const paths = ["", "/export", "/checkpoint", `/${entry!.id}`];
  for (const path of paths) {
    for (const as of ["admin", "user", "guest"] as const) {
      assert.equal((await h.ask("GET", `/api/audit${path}`, { as })).status, 403);
    }
    assert.equal((await h.ask("GET", `/api/audit${path}`)).status, 401);
    assert.equal((await h.ask("GET", `/api/audit${path}`, { as: "super" })).status, 200);
  }
  await h.grant("user", "audit:view");
  assert.equal((await h.ask("GET", "/api/audit", { as: "user" })).status, 200);
  assert.equal((await h.ask("GET", "/api/audit/nothing", { as: "super" })).status, 404);
});

Deno.test("audit: an entry tells who, what, from where, and values before and after, less secrets", async () => {
  await using h = await harness();
  const { user, super: boss } = h.accounts;
  const body = { name: "New Name", password: "another horse battery" };
  const headers = { "user-agent": "test" };
  const changed = await h.ask("PUT", `/api/users/${user.id}`, {
    as: "super",
    body,
    headers,
    from: "192.0.2.9",
  });
  assert.equal(changed.status, 200, changed.text);
  const query = `target=users&targetId=${user.id}&action=update&actorId=${boss.id}&ip=192.0.2.9`;
  const { data: [entry], body: { pagination }, text } = await h.ask("GET", `/api/audit?${query}`, {
    as: "super",
  });
  assert.equal(pagination.total, 1);
  assert.deepEqual(entry.actor, { id: boss.id, name: boss.name });
  assert.equal(entry.requestId, changed.headers.get("x-request-id"));
  assert.deepEqual(
    entry.changes.find(({ field }: { field: string }) => field === "name"),
    { field: "name", before: user.name, after: "New Name" },
  );
  assert.doesNotMatch(text, /argon2|horse|salt/);
  const one = await h.ask("GET", `/api/audit/${entry.id}`, { as: "super" });
  assert.deepEqual(one.data, entry);
  for (const wrong of ["ip=192.0.2.8", "createdAt_lt=2020-01-01", "actorId=nobody"]) {
    const none = await h.ask(
      "GET",
      `/api/audit?targetId=${user.id}&action_ne=remove&ip_ne=127.0.0.1&${wrong}`,
      {
        as: "super",
      },
    );
    assert.ok(none.status === 200 && none.data.length === 0, wrong);
  }
});

Deno.test("audit: long texts and the content of documents are told by length and hash", async () => {
  await using h = await harness();
  await h.grant("user", "documents:*");
  const create = { title: "Plan", content: "short secret" };
  const { data: { id } } = await h.ask("POST", "/api/documents", { as: "user", body: create });
  const content = "long secret ".repeat(20_000);
  await h.ask("PUT", `/api/documents/${id}`, { as: "user", body: { content, title: "Plans" } });
  const { data: [entry], text } = await h.ask(
    "GET",
    `/api/audit?target=documents&targetId=${id}&action=update`,
    { as: "super" },
  );
  assert.doesNotMatch(text, /secret/);
  const change = entry.changes.find(({ field }: { field: string }) => field === "content");
  assert.deepEqual([change.before.length, change.after.length], [12, content.length]);
  assert.match(change.after.sha256, /^[0-9a-f]{64}$/);
});

Deno.test("audit: as CSV, all that the filters match, with nothing that a spreadsheet runs", async () => {
  await using h = await harness();
  const body = { name: "=cmd()" };
  await h.ask("PUT", `/api/users/${h.accounts.user.id}`, { as: "super", body });
  const reply = await h.ask("GET", "/api/audit/export?action=update&target=users", { as: "super" });
  assert.equal(reply.status, 200);
  const [header, ...lines] = reply.text.trim().split("\r\n");
  assert.match(header!, /^id,time,action,target,targetId,targetName,actorId,actor,/);
  assert.equal(String(lines.length), reply.headers.get("x-total-count"));
  assert.match(reply.text, /,'=cmd\(\),/);
});

Deno.test("audit: the checkpoint is signed by the key that it names", async () => {
  await using h = await harness();
  const none = await h.ask("GET", "/api/audit/checkpoint", { as: "super" });
  assert.equal(none.data.seq, 0);
  await h.app.services.audit.link();
  const { data } = await h.ask("GET", "/api/audit/checkpoint", { as: "super" });
  const { seq, hash, at, signature, publicKey } = data;
  assert.equal(seq, 1);
  const bytes = (text: string) => Uint8Array.fromBase64(text, { alphabet: "base64url" });
  const key = await crypto.subtle.importKey("raw", bytes(publicKey), "Ed25519", false, ["verify"]);
  const signed = JSON.stringify(["quarterdeck audit checkpoint 1", "head", seq, hash, at, null]);
  const text = new TextEncoder().encode(signed);
  assert.ok(await crypto.subtle.verify("Ed25519", key, bytes(signature), text));
});

Deno.test("audit: each sign-in is told, by which way and from where, and none that failed", async () => {
  await using h = await harness({ variant: "full" });
  const { user } = h.accounts;
  const query = `action=signIn&actorId=${user.id}`;
  const told = () => h.ask("GET", `/api/audit?${query}`, { as: "super" });
  const before = (await told()).body.pagination.total;
  const from = "192.0.2.9";
  const signIn = (password: string) =>
    h.ask("POST", "/api/auth/login", { body: { email: user.email, password }, from });
  assert.equal((await signIn("not the one")).status, 401);
  assert.equal((await told()).body.pagination.total, before);
  const signedIn = await signIn(PASSWORD);
  assert.equal(signedIn.status, 200, signedIn.text);
  const { data: [entry], body: { pagination }, text } = await told();
  assert.equal(pagination.total, before + 1);
  assert.deepEqual(entry.changes, [
    { field: "method", after: "password" },
    { field: "secondFactor", after: false },
  ]);
  const { target, targetId, ip, requestId } = entry;
  assert.deepEqual([target, targetId, ip], ["users", user.id, from]);
  assert.equal(requestId, signedIn.headers.get("x-request-id"));
  assert.ok(!text.includes(signedIn.data.accessToken));
  const activities = await h.ask("GET", "/api/dashboard/activities", { as: "super" });
  assert.equal(activities.status, 200);
  assert.ok(!activities.text.includes(entry.id), "they would hide what was done");
});
