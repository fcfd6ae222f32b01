// Moving and copying documents.
import assert from "node:assert/strict";
import { harness } from "../../harness.ts";
import { scenarios } from "../../scenario.ts";
import { arrange, type State } from "./document_scene.ts";

scenarios("document placement", {
  variant: "full",
  arrange,
  rows: [
    {
      name: "move",
      method: "POST",
      path: (s) => `${s.path}/move`,
      as: "user",
      body: { folder: "reports/2026/" },
      status: 200,
      holds: { data: { folder: "/reports/2026", tags: [{ name: "t" }] } },
    },
    ...[null, "", "/"].map((folder) => ({
      name: `move to the root by ${JSON.stringify(folder)}`,
      method: "POST",
      path: (s: State) => `${s.path}/move`,
      as: "user" as const,
      body: { folder },
      status: 200,
      holds: { data: { folder: undefined } },
    })),
    ...[{}, { folder: "../etc" }, { folder: "/a/ .. /b" }, { folder: 5 }, { folder: "a\tb" }].map((
      body,
    ) => ({
      name: `move with ${JSON.stringify(body)}: 400`,
      method: "POST",
      path: (s: State) => `${s.path}/move`,
      as: "user" as const,
      body,
      status: 400,
      details: ["folder"],
    })),
    {
      name: "copy without a body",
      method: "POST",
      path: (s) => `${s.path}/copy`,
      as: "user",
      status: 201,
      holds: {
        data: {
          title: "Plan (copy)",
          content: "text",
          folder: "/a",
          tags: [{ name: "t" }],
          shared: false,
          views: 0,
        },
      },
      after: (_, reply, s) => assert.notEqual(reply.data.id, s.own.id),
    },
    {
      name: "copy with a title and folder",
      method: "POST",
      path: (s) => `${s.path}/copy`,
      as: "user",
      body: { title: "Other", folder: null },
      status: 201,
      holds: { data: { title: "Other", folder: undefined } },
    },
    {
      name: "copy with a bad title: 400",
      method: "POST",
      path: (s) => `${s.path}/copy`,
      as: "user",
      body: { title: "" },
      status: 400,
      details: ["title"],
    },
    {
      name: "a copy of what is shared belongs to who copies, and is shared with nobody",
      method: "POST",
      path: (s) => `${s.path}/share`,
      as: "user",
      body: (s: State) => ({ userId: s.id.other }),
      status: 201,
      async after(h, _, s) {
        const copied = await h.ask("POST", `${s.path}/copy`, { as: "other" });
        assert.equal(copied.data.ownerId, s.id.other);
        const path = `/api/documents/${copied.data.id}`;
        assert.equal((await h.ask("GET", path, { as: "user" })).status, 404);
      },
    },
  ],
});

Deno.test("a copy's title is whole characters, where those of the original take two code units", async () => {
  await using h = await harness({ variant: "full" });
  const body = { title: "😀".repeat(100), content: "text" };
  const { data } = await h.ask("POST", "/api/documents", { as: "admin", body });
  const copied = await h.ask("POST", `/api/documents/${data.id}/copy`, { as: "admin" });
  assert.equal(copied.data.title, `${"😀".repeat(96)} (copy)`);
});
