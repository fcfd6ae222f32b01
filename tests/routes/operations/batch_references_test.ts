// References in batches: an operation names what an earlier one makes, whatever its id will be.
import assert from "node:assert/strict";
import { documents } from "../../../models/documents.ts";
import { shares } from "../../../models/shares.ts";
import { StoreUnavailable, VersionConflict } from "../../../storage/port.ts";
import { type Harness, harness, type Reply } from "../../harness.ts";
import { interposedHarness } from "../../interposed.ts";
import { sceneOf, writeTo, writingEndpoints } from "../../writes.ts";

const send = (h: Harness, operations: readonly unknown[], more: Record<string, unknown> = {}) =>
  h.ask("POST", "/api/batch", { as: "super", body: { operations, ...more } });

const statuses = (reply: Reply): number[] =>
  reply.data.map(({ status }: { status: number }) => status);

const post = (path: string, body: unknown, id?: string) => ({ method: "POST", path, body, id });

const TEAM = [
  post("/api/teams", { name: "Crew" }, "crew"),
  post("/api/documents", { title: "Log", content: "text", teamId: { $ref: "crew" } }),
  post("/api/documents/$1/share", { teamId: { $ref: 0 }, permission: "edit" }),
  { method: "PUT", path: "/api/documents/$1?", body: { title: "Log of the crew" } },
  { method: "GET", path: "/api/teams/$crew" },
];

for (const atomic of [true, false]) {
  Deno.test(`batch references: what is made is named in paths and bodies (atomic: ${atomic})`, async () => {
    await using h = await harness({ variant: "full" });
    const reply = await send(h, TEAM, { atomic });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(statuses(reply), [201, 201, 201, 200, 200], reply.text);
    const [team, document, , , read] = reply.data.map((one: Reply) => one.body.data);
    assert.equal(document.teamId, team.id);
    assert.equal(read.id, team.id);
    const [share] = (await h.store.from(shares).list()).rows;
    assert.deepEqual([share?.documentId, share?.teamId], [document.id, team.id]);
    assert.equal((await h.store.from(documents).get(document.id))?.title, "Log of the crew");
  });

  Deno.test(`batch references: a text that looks like one stays a text (atomic: ${atomic})`, async () => {
    await using h = await harness({ variant: "full" });
    const content = '{"$ref":"0"} {\\"$ref\\":0} /$0';
    const reply = await send(h, [post("/api/documents", { title: "A{", content })], { atomic });
    assert.equal(reply.data[0].body.data.content, content, reply.text);
  });
}

Deno.test("batch references: a batch that is tried again, or sent again, refers to the same records", async () => {
  await using h = await interposedHarness({ variant: "full" });
  let tries = 0;
  h.store.beforeCommit = () => {
    if (tries++ < 2) throw new VersionConflict("teams", "x");
  };
  assert.deepEqual(statuses(await send(h, TEAM)), [201, 201, 201, 200, 200]);
  assert.equal(tries, 3);
  h.store.beforeCommit = null;
  h.store.afterCommit = () => {
    h.store.afterCommit = null;
    throw new StoreUnavailable("killed");
  };
  const ask = { as: "super" as const, headers: { "idempotency-key": "k" } };
  const body = { operations: TEAM };
  assert.equal((await h.ask("POST", "/api/batch", { ...ask, body })).status, 503);
  const again = await h.ask("POST", "/api/batch", { ...ask, body });
  assert.deepEqual(statuses(again), [201, 201, 201, 200, 200], again.text);
  assert.equal(again.data[4].body.data.id, again.data[0].body.data.id);
  assert.equal(await h.store.from(documents).count(), 2);
});

Deno.test("batch references: one that leads to no record made before is refused", async () => {
  await using h = await harness({ variant: "full" });
  const read = (reference: string) => ({ method: "GET", path: `/api/teams/${reference}` });
  const wrong = [
    [read("$0")],
    [read("$1"), TEAM[0]],
    [TEAM[0], read("$nobody")],
    [{ method: "GET", path: "/api/teams" }, read("$0")],
    [post("/api/documents", { title: "A", teamId: { $ref: "9" } })],
  ];
  for (const operations of wrong) {
    const reply = await send(h, operations);
    assert.equal(reply.status, 400, reply.text);
    assert.match(reply.text, /makes no record before it/);
  }
  const each = await send(h, [post("/api/teams", {}), read("$0"), TEAM[0], read("$crew")], {
    atomic: false,
  });
  assert.deepEqual(statuses(each), [400, 409, 201, 200], each.text);
});

Deno.test("batch references: every route that says what it makes makes one record of it, which it answers with", async () => {
  await using h = await harness({ variant: "full", env: { RATE_LIMIT: "false" } });
  const making = writingEndpoints(h).filter(({ makes }) => makes !== undefined);
  assert.ok(making.length >= 11, `${making.length}`);
  for (const endpoint of making) {
    const scene = await sceneOf(h);
    const operation = { method: "POST", ...await writeTo(endpoint, scene) };
    const naming = post("/api/documents", { title: "Names it", content: { $ref: "0" } });
    const reply = await h.ask("POST", "/api/batch", {
      token: scene.token,
      body: { operations: [operation, naming] },
    });
    assert.equal(reply.status, 200, `${endpoint.operationId}: ${reply.text}`);
    const [made, document] = reply.data.map((one: Reply) => one.body.data);
    assert.equal(document.content, made.id, endpoint.operationId);
  }
});
