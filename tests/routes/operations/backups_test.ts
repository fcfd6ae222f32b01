// Backups by the API: begun, seen, downloaded and deleted, and by nobody who may not.
import assert from "node:assert/strict";
import { sha256 } from "../../../core/hashing.ts";
import { MINUTE } from "../../../core/units.ts";
import { auditLog } from "../../../models/audit.ts";
import { backupPath, Folder, LOCK } from "../../../services/backups/folder.ts";
import { restoreBackup } from "../../restored.ts";
import { heldLock } from "../../../core/file_lock.ts";
import { openStore } from "../../../storage/open.ts";
import { doneBackup, readyToBackUp } from "../../backup_place.ts";
import { type Harness, harness } from "../../harness.ts";
import { openS3 } from "../../s3_server.ts";
import { fill } from "../../services/backups/stores.ts";
import { kvConnectDatabase } from "../../shared_databases.ts";

const as = "super" as const;
const pathOf = (h: Harness, id: string) => backupPath(h.settings.backups.folder, id)!;

/** What was done with backups, oldest first: whoever did it, and with which. */
async function acts(h: Harness): Promise<[string, string, string | undefined][]> {
  const query = { where: { target: "backups" }, sort: "createdAt", limit: 50 };
  const { rows } = await h.store.from(auditLog).list(query);
  return rows.map(({ action, targetId, actorId }) => [action, targetId, actorId]);
}

for (const variant of ["compact", "full", "web"]) {
  Deno.test(`backups: begun, seen, downloaded whole and in part, restored, deleted (${variant})`, async () => {
    await using h = await harness({ variant, env: { RATE_LIMIT: "false" } });
    await readyToBackUp(h);
    const store = await openStore({ url: h.settings.storeUrl });
    await fill(store);
    await store.close();
    const empty = await h.ask("GET", "/api/backups", { as });
    assert.deepEqual([empty.data, empty.body.status], [[], { possible: true, every: 0, keep: 7 }]);

    const begun = await h.ask("POST", "/api/backups", { as });
    assert.equal(begun.status, 202, begun.text);
    const { id } = begun.data;
    assert.equal(begun.headers.get("location"), `/api/backups/${id}`);
    const running = await h.ask("GET", `/api/backups/${id}`, { as });
    assert.equal(running.data.state, "running");
    const again = await h.ask("POST", "/api/backups", { as });
    assert.equal(again.status, 409, again.text);
    const early = await h.ask("DELETE", `/api/backups/${id}`, { as });
    assert.equal(early.status, 409, early.text);

    await h.app.services.backups.idle();
    const { data: [done] } = await h.ask("GET", "/api/backups", { as });
    assert.equal(done.problem, undefined);
    assert.deepEqual([done.id, done.state, done.engine, done.places], [
      id,
      "done",
      "sqlite",
      ["folder"],
    ]);
    assert.equal(done.counts.users, 1);
    assert.notEqual(done.position, "");
    assert.deepEqual((await h.ask("GET", `/api/backups/${id}`, { as })).data, done);

    const bytes = await Deno.readFile(pathOf(h, id));
    assert.equal(done.size, bytes.length);
    const authorization = `Bearer ${h.tokens.super}`;
    const download = (headers: Record<string, string> = {}, method = "GET") =>
      h.app.fetch(
        new Request(`http://localhost/api/backups/${id}/download`, {
          method,
          headers: { authorization, ...headers },
        }),
      );
    const whole = await download();
    assert.equal(whole.status, 200);
    assert.match(whole.headers.get("content-disposition")!, new RegExp(`"${id}\\.qdbackup"`));
    const file = `${h.settings.backups.folder}/downloaded`;
    await Deno.writeFile(file, whole.body!);
    assert.deepEqual(await Deno.readFile(file), bytes);
    await restoreBackup(file, `sqlite:${h.settings.backups.folder}/restored/store.db`);
    const etag = whole.headers.get("etag")!;
    const part = await download({ range: `bytes=${bytes.length - 100}-`, "if-range": etag });
    assert.equal(part.status, 206);
    assert.deepEqual(await part.bytes(), bytes.subarray(-100));
    assert.equal((await download({ range: `bytes=${bytes.length}-` })).status, 416);
    const head = await download({}, "HEAD");
    assert.equal(head.headers.get("content-length"), String(bytes.length));
    // Whoever breaks it off leaves no file open: the sanitizer of the test would tell.
    await (await download()).body!.cancel();

    const gone = await h.ask("DELETE", `/api/backups/${id}`, { as });
    assert.deepEqual(gone.data, { id });
    for (const path of [`/api/backups/${id}`, `/api/backups/${id}/download`]) {
      assert.equal((await h.ask("GET", path, { as })).status, 404);
    }
    assert.equal((await h.ask("DELETE", `/api/backups/${id}`, { as })).status, 404);
    const me = h.accounts.super.id;
    assert.deepEqual(await acts(h), [
      ["insert", id, me],
      ...Array.from({ length: 5 }, (): [string, string, string] => ["download", id, me]),
      ["remove", id, me],
    ]);
  });
}

Deno.test("backups: nobody but a super_admin who has proven who they are", async () => {
  await using h = await harness({ variant: "full" });
  const id = await doneBackup(h);
  const requests = [
    ["GET", "/api/backups", "backups:view"],
    ["GET", `/api/backups/${id}`, "backups:view"],
    ["POST", "/api/backups", "backups:create"],
    ["GET", `/api/backups/${id}/download`, "backups:*"],
    ["DELETE", `/api/backups/${id}`, "backups:delete"],
  ] as const;
  for (const [method, path, permission] of requests) {
    for (const account of ["guest", "user", "admin"] as const) {
      const { status, body } = await h.ask(method, path, { as: account });
      assert.equal(status, 403, path);
      assert.equal(body.error.details[0].message, permission);
    }
    assert.equal((await h.ask(method, path)).status, 401);
  }
  // Whoever was given all permissions of it sees, and makes, and still takes none away.
  await h.grant("admin", "backups:*");
  assert.equal((await h.ask("GET", `/api/backups/${id}`, { as: "admin" })).status, 200);
  const refused = await h.ask("GET", `/api/backups/${id}/download`, { as: "admin" });
  assert.equal(refused.body.error.message, "Only a super_admin downloads backups");

  const made = { name: "A program", scopes: ["backups:*"] };
  const { data: { key } } = await h.ask("POST", "/api/auth/keys", { as, body: made });
  h.clock.advance(10 * MINUTE + 1);
  for (const [method, path] of requests.slice(2)) {
    for (const token of [h.tokens.super, key]) {
      const { body } = await h.ask(method, path, { token });
      assert.equal(body.error.code, "STEP_UP_REQUIRED", path);
    }
  }
  assert.equal((await h.ask("GET", "/api/backups", { token: key })).status, 200);
  assert.deepEqual(await acts(h), []);
  assert.equal((await new Folder(h.settings.backups.folder).sizes()).size, 1);
});

Deno.test("backups: where none can be made, the answer says so", async () => {
  const deploy = { DATABASE_URL: "kv:", DENO_DEPLOY: "1", OIDC_PROVIDERS: "" };
  for (const env of [{ DATABASE_URL: "kv::memory:" }, deploy]) {
    await using h = await harness({ env });
    const { status, body } = await h.ask("POST", "/api/backups", { as });
    assert.equal(status, 409, env.DATABASE_URL);
    const reason = "a store in memory, or on Deno Deploy, is backed up by its own means";
    assert.equal(body.error.message, `Cannot back up: ${reason}`);
    const list = await h.ask("GET", "/api/backups", { as });
    assert.deepEqual([list.data, list.body.status.possible, list.body.status.reason], [
      [],
      false,
      reason,
    ]);
    assert.deepEqual(await acts(h), []);
  }
});

Deno.test("backups: of a store on a KV server, as of any other", async () => {
  const { url, server, drop } = kvConnectDatabase();
  try {
    await using h = await harness({ env: { DATABASE_URL: url } });
    const store = await openStore({ url });
    await fill(store);
    await store.close();
    const { data: { id } } = await h.ask("POST", "/api/backups", { as });
    await h.app.services.backups.idle();
    const { data } = await h.ask("GET", `/api/backups/${id}`, { as });
    assert.deepEqual([data.state, data.engine, data.source, data.counts.users], [
      "done",
      "kv",
      `Deno KV (${server.url})`,
      1,
    ]);
  } finally {
    await drop();
  }
});

Deno.test("backups: one that fails is told with its reason; a damaged one is not handed out", async () => {
  await using h = await harness();
  const begun = await h.ask("POST", "/api/backups", { as });
  assert.equal(begun.status, 202);
  await h.app.services.backups.idle();
  const { data: [failed] } = await h.ask("GET", "/api/backups", { as });
  assert.deepEqual([failed.id, failed.state, failed.places], [begun.data.id, "failed", []]);
  assert.match(failed.problem, /^Cannot open the data file .*store\.db/);
  assert.equal((await h.ask("DELETE", `/api/backups/${failed.id}`, { as })).status, 200);
  assert.deepEqual((await h.ask("GET", "/api/backups", { as })).data, []);

  const id = await doneBackup(h);
  await Deno.truncate(pathOf(h, id), 1000);
  const { data: damaged } = await h.ask("GET", `/api/backups/${id}`, { as });
  assert.deepEqual([damaged.state, damaged.size, damaged.counts], ["failed", 1000, undefined]);
  assert.match(damaged.problem, /its end is damaged or missing/);
  assert.equal((await h.ask("GET", `/api/backups/${id}/download`, { as })).status, 404);
});

Deno.test("backups: one that another process makes is seen, and no second one begins", async () => {
  await using h = await harness();
  await doneBackup(h);
  const { folder } = h.settings.backups;
  const id = "20270101T000000000Z";
  await Deno.writeTextFile(`${pathOf(h, id)}.draft`, "half");
  {
    using _other = await heldLock(`${folder}/${LOCK}`, "never");
    const { data: [first] } = await h.ask("GET", "/api/backups", { as });
    assert.deepEqual([first.id, first.state, first.size], [id, "running", 4]);
    assert.equal((await h.ask("POST", "/api/backups", { as })).status, 409);
  }
  // What a killed one has left is none.
  assert.equal((await h.ask("GET", "/api/backups", { as })).data.length, 1);
});

Deno.test("backups: what is there and is none keeps nobody from the others", async () => {
  await using h = await harness();
  const id = await doneBackup(h);
  // A manifest that is right by its hash, and no JSON.
  const text = "none";
  const end = `quarterdeck backup ${"4".padStart(10, "0")} ${sha256(text)}\n`;
  const strange = "20260601T000000000Z";
  await Deno.writeTextFile(pathOf(h, strange), text + end);
  const folder = "20260602T000000000Z";
  await Deno.mkdir(pathOf(h, folder));
  const { folder: place } = h.settings.backups;
  await Deno.writeTextFile(`${place}/20269999T999999999Z.qdbackup`, "at no time");
  const { status, data, text: answer } = await h.ask("GET", "/api/backups", { as });
  assert.equal(status, 200, answer);
  assert.deepEqual(data.map((one: { id: string }) => one.id), [folder, strange, id]);
  assert.ok(data[0].problem);
  assert.deepEqual([data[1].state, data[2].state], ["failed", "done"]);
  assert.match(data[1].problem, /its manifest is no JSON/);
  for (const one of [folder, strange]) {
    assert.equal((await h.ask("GET", `/api/backups/${one}`, { as })).status, 200);
    assert.equal((await h.ask("GET", `/api/backups/${one}/download`, { as })).status, 404);
  }
  assert.equal((await h.ask("GET", "/api/system/health", { as })).status, 200);
});

Deno.test("backups: one that has another size in the bucket is downloaded as it is in the folder", async () => {
  await using s3 = await openS3();
  await using h = await harness({ env: s3.env });
  const id = await doneBackup(h);
  s3.objects.set(`team/nightly/${id}.qdbackup`, new Uint8Array(5));
  const bytes = await Deno.readFile(pathOf(h, id));
  const { data } = await h.ask("GET", `/api/backups/${id}`, { as });
  assert.deepEqual([data.size, data.state], [bytes.length, "done"]);
  const headers = { authorization: `Bearer ${h.tokens.super}` };
  const request = new Request(`http://localhost/api/backups/${id}/download`, { headers });
  assert.deepEqual(await (await h.app.fetch(request)).bytes(), bytes);
});

Deno.test("backups: of two that are asked for at once one is made, and the audit log tells of one", async () => {
  await using h = await harness();
  await readyToBackUp(h);
  const both = await Promise.all([1, 2].map(() => h.ask("POST", "/api/backups", { as })));
  assert.deepEqual(both.map(({ status }) => status).sort(), [202, 409]);
  const { data: { id } } = both.find(({ status }) => status === 202)!;
  assert.deepEqual(await acts(h), [["insert", id, h.accounts.super.id]]);
  await h.app.services.backups.idle();
  assert.equal((await h.ask("POST", "/api/backups", { as })).status, 202);
  await h.app.services.backups.idle();
});

Deno.test("backups: lists are paged, sorted and filtered as others; ids lead nowhere else", async () => {
  await using h = await harness();
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.unshift(await doneBackup(h));
  await Deno.writeTextFile(`${h.settings.backups.folder}/secret.qdbackup`, "none");
  await Deno.truncate(pathOf(h, ids[4]!), 10);
  const idsOf = async (query: string) => {
    const { data, body } = await h.ask("GET", `/api/backups?${query}`, { as });
    return [data.map((one: { id: string }) => one.id), body.pagination.total];
  };
  assert.deepEqual(await idsOf("limit=2"), [ids.slice(0, 2), 5]);
  assert.deepEqual(await idsOf("limit=2&page=3"), [ids.slice(4), 5]);
  assert.deepEqual(await idsOf("sort=size&limit=1"), [[ids[4]], 5]);
  assert.deepEqual(await idsOf(`id=${ids[1]}`), [[ids[1]], 1]);
  assert.deepEqual(await idsOf("state=running"), [[], 0]);
  assert.deepEqual(await idsOf("state=failed"), [[ids[4]], 1]);
  assert.deepEqual(await idsOf("state=done&sort=createdAt&limit=1"), [[ids[3]], 4]);
  const { createdAt, source } = (await h.ask("GET", `/api/backups/${ids[2]}`, { as })).data;
  for (const part of [ids[2]!.slice(-10), ids[2]!.slice(-10).toLowerCase(), createdAt.slice(11)]) {
    assert.deepEqual(await idsOf(`search=${part}`), [[ids[2]], 1], part);
  }
  assert.ok(source.length > 3);
  // What a damaged one is of, nobody can tell.
  assert.deepEqual(await idsOf(`search=${encodeURIComponent(source)}&limit=2`), [
    ids.slice(0, 2),
    4,
  ]);
  assert.deepEqual(await idsOf("search=nothing%20of%20it"), [[], 0]);
  const first = await h.ask("GET", "/api/backups?limit=3", { as });
  assert.deepEqual(await idsOf(`limit=3&cursor=${first.body.pagination.nextCursor}`), [
    ids.slice(3),
    5,
  ]);
  for (const id of ["secret", "..%2Fstore", "%2e%2e%2fstore", "20260101T000000000Z%00"]) {
    for (const [method, path] of [["GET", ""], ["GET", "/download"], ["DELETE", ""]] as const) {
      assert.equal((await h.ask(method, `/api/backups/${id}${path}`, { as })).status, 404);
    }
  }
});

Deno.test("backups: those in the bucket are listed, downloaded and deleted there too", async () => {
  await using s3 = await openS3();
  await using h = await harness({ env: s3.env });
  await readyToBackUp(h);
  const { data: { id } } = await h.ask("POST", "/api/backups", { as });
  await h.app.services.backups.idle();
  const { data: [both], body } = await h.ask("GET", "/api/backups", { as });
  assert.deepEqual([both.id, both.places], [id, ["folder", "bucket"]]);
  assert.equal(body.status.bucket, `${s3.settings.url}/team/nightly/`);
  const bytes = await Deno.readFile(pathOf(h, id));
  await Deno.remove(pathOf(h, id));
  const { data: there } = await h.ask("GET", `/api/backups/${id}`, { as });
  assert.deepEqual(there, { ...both, places: ["bucket"] });

  const authorization = `Bearer ${h.tokens.super}`;
  const path = `http://localhost/api/backups/${id}/download`;
  const download = (headers: Record<string, string> = {}) =>
    h.app.fetch(new Request(path, { headers: { authorization, ...headers } }));
  assert.deepEqual(await (await download()).bytes(), bytes);
  const part = await download({ range: "bytes=10-19" });
  assert.deepEqual([part.status, await part.bytes()], [206, bytes.subarray(10, 20)]);

  const known = new Map(s3.objects);
  s3.fault = () => ({ refuse: [403, "AccessDenied"] });
  const without = await h.ask("GET", "/api/backups", { as });
  assert.deepEqual([without.status, without.data], [200, []]);
  assert.match(without.body.status.bucketProblem, /AccessDenied/);
  assert.doesNotMatch(without.text, /secret|session/);
  for (const [method, end] of [["GET", ""], ["GET", "/download"], ["DELETE", ""]] as const) {
    const refused = await h.ask(method, `/api/backups/${id}${end}`, { as });
    assert.equal(refused.status, 503, refused.text);
  }
  // What the list has shown is remembered, and the bytes are not: the object may not be read any more.
  s3.fault = ({ operation }) =>
    operation === "GetObject" ? { refuse: [403, "AccessDenied"] } : null;
  assert.equal((await download()).status, 503);
  s3.fault = () => null;
  assert.deepEqual(s3.objects, known);
  assert.equal((await h.ask("DELETE", `/api/backups/${id}`, { as })).status, 200);
  assert.equal(s3.objects.size, 0);
});
