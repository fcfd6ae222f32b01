// Tags of documents: given by name or id, taken off.
import assert from "node:assert/strict";
import { documentTags, tags } from "../../../models/documents.ts";
import { harness } from "../../harness.ts";
import { scenarios } from "../../scenario.ts";
import { arrange, share, type State } from "./document_scene.ts";

scenarios("document tags", {
  variant: "full",
  arrange,
  rows: [
    {
      name: "add a tag by name answers with the document",
      method: "POST",
      path: (s) => `${s.path}/tags`,
      as: "user",
      body: { name: " urgent " },
      status: 201,
      holds: { data: { tags: [{ name: "t" }, { name: "urgent" }] } },
    },
    {
      name: "add several tags, of which one is there",
      method: "POST",
      path: (s) => `${s.path}/tags`,
      as: "user",
      body: { tags: ["t", "u", "v"] },
      status: 201,
      holds: { data: { tags: [{ name: "t" }, { name: "u" }, { name: "v" }] } },
    },
    {
      name: "add a tag that is there: 409",
      method: "POST",
      path: (s) => `${s.path}/tags`,
      as: "user",
      body: { name: "t" },
      status: 409,
    },
    {
      name: "add a tag by id",
      method: "POST",
      path: (s) => `${s.path}/tags`,
      as: "user",
      body: { name: "second" },
      status: 201,
      async after(h, { data }, s) {
        const known = await h.store.from(tags).count();
        const second = data.tags.find((tag: { name: string }) => tag.name === "second");
        const body = { tagIds: [second.id] };
        const add = () => h.ask("POST", `${s.hidden}/tags`, { as: "other", body });
        // The tags of documents that one does not see are nobody's business.
        const unseen = await add();
        assert.equal(unseen.status, 400);
        assert.equal(unseen.text.includes("second"), false);
        await share(h, s, { userId: s.id.other });
        const reply = await add();
        assert.equal(reply.status, 201);
        assert.equal(reply.data.tags.length, 2);
        assert.equal(await h.store.from(tags).count(), known);
      },
    },
    ...([
      ["nothing", {}, ["name"]],
      ["an empty name", { name: " " }, ["name"]],
      ["an unknown id", { tagIds: ["unknown"] }, ["tagIds"]],
      ["empty lists", { tags: [], tagIds: [] }, ["name"]],
    ] as const).map(([what, body, details]) => ({
      name: `add a tag with ${what}: 400`,
      method: "POST",
      path: (s: State) => `${s.path}/tags`,
      as: "user" as const,
      body,
      status: 400,
      details,
    })),
    {
      name: "take a tag off",
      method: "DELETE",
      path: (s) => `${s.path}/tags/${s.own.tags[0].id}`,
      as: "user",
      status: 200,
      holds: (s: State) => ({ data: { id: s.own.tags[0].id } }),
      async after(h, _, s) {
        assert.deepEqual((await h.ask("GET", s.path, { as: "user" })).data.tags, []);
        assert.equal(await h.store.from(documentTags).count({ documentId: s.own.id }), 0);
      },
    },
    {
      name: "take off a tag that is not there: 404",
      method: "DELETE",
      path: (s) => `${s.path}/tags/unknown`,
      as: "user",
      status: 404,
    },
    {
      name: "take a tag off with a stale If-Match: 412",
      method: "DELETE",
      path: (s) => `${s.path}/tags/${s.own.tags[0].id}`,
      as: "user",
      headers: { "if-match": '"stale"' },
      status: 412,
    },
  ],
});

Deno.test("document tags: the same one added many times at once: one is added, the others 409", async () => {
  await using h = await harness({ variant: "full" });
  const s = await arrange(h);
  const add = () => h.ask("POST", `${s.path}/tags`, { as: "user", body: { name: "race" } });
  const replies = await Promise.all([add(), add(), add()]);
  assert.deepEqual(replies.map((reply) => reply.status).sort(), [201, 409, 409]);
  assert.equal(await h.store.from(documentTags).count({ documentId: s.own.id }), 2);
});
