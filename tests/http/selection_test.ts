// `fields` keeps some fields of a record, `include` adds the records it refers to, as far as the caller sees them.
import assert from "node:assert/strict";
import { documents } from "../../models/documents.ts";
import { teamMembers, teams } from "../../models/teams.ts";
import { selectable } from "../../http/selection.ts";
import { type Harness, harness } from "../harness.ts";
import { scenarios } from "../scenario.ts";
import { pdf, upload } from "../uploads.ts";

scenarios("selection", {
  rows: [
    {
      name: "some fields of a list's records",
      method: "GET",
      path: "/api/users?fields=name,id&limit=2&sort=name",
      as: "admin",
      status: 200,
      after(_, { data, body }) {
        assert.deepEqual(data.map((row: object) => Object.keys(row)), [["name", "id"], [
          "name",
          "id",
        ]]);
        assert.equal(body.pagination.total, 5);
      },
    },
    {
      name: "some fields of a record, given one by one; its version stays",
      method: "GET",
      path: "/api/users/me?fields=email&fields=,%20role%20",
      as: "user",
      status: 200,
      after(_, { data, headers }) {
        assert.deepEqual(data, { email: "user@example.com", role: "user" });
        assert.ok(headers.get("etag"));
      },
    },
    {
      name: "nothing chosen is everything",
      method: "GET",
      path: "/api/users/me?fields=&include=",
      as: "user",
      status: 200,
      holds: { data: { email: "user@example.com", status: "active" } },
    },
    {
      name: "an unknown field: 400 with the nearest one",
      method: "GET",
      path: "/api/users/me?fields=emial",
      as: "user",
      status: 400,
      holds: {
        error: {
          details: [{
            field: "fields",
            message: "'emial' is not known here: the nearest known field is email",
          }],
        },
      },
    },
    {
      name: "what is stored and not shown is no field",
      method: "GET",
      path: "/api/users/me?fields=passwordHash",
      as: "user",
      status: 400,
      details: ["fields"],
    },
    {
      name: "names that every object has are no fields",
      method: "GET",
      path: "/api/users/me?fields=__proto__,constructor",
      as: "user",
      status: 400,
      details: ["fields", "fields"],
    },
    {
      name: "a flood of names: one error",
      method: "GET",
      path: `/api/users/me?fields=${Array.from({ length: 3000 }, (_, n) => `f${n}`).join(",")}`,
      as: "user",
      status: 400,
      details: ["fields"],
    },
    {
      name: "an unknown reference: 400",
      method: "GET",
      path: "/api/documents?include=teem",
      as: "user",
      status: 400,
      details: ["include"],
    },
    {
      name: "writes choose nothing, and lists still know their parameters",
      method: "GET",
      path: "/api/users?field=name",
      as: "admin",
      status: 400,
      details: ["field"],
    },
  ],
});

/** A document of `user` in a team that they were in, and that `other` is in. */
async function arrange(h: Harness) {
  const { user, other } = h.accounts;
  return await h.store.transact({ userId: null }, (tx) => {
    const team = tx.insert(teams, { name: "Press", ownerId: other.id });
    tx.insert(teamMembers, { teamId: team.id, userId: other.id, role: "owner" });
    const document = tx.insert(documents, {
      title: "Notes",
      content: "",
      type: "document",
      size: 0,
      ownerId: user.id,
      teamId: team.id,
    });
    return { team, document };
  });
}

Deno.test("selection: a reference is shown to those who may see it, and to no one else", async () => {
  await using h = await harness({ variant: "full" });
  const { team, document } = await arrange(h);
  const ask = (as: "user" | "other" | "super") =>
    h.ask("GET", "/api/documents?include=team&fields=title", { as });
  const member = await ask("other");
  assert.deepEqual(member.data, [{ title: "Notes", team: { id: team.id, name: "Press" } }]);
  const owner = await ask("user");
  assert.deepEqual(owner.data, [{ title: "Notes" }], "whose team it is not learns nothing of it");
  const manager = await ask("super");
  assert.equal(manager.data[0].team.name, "Press");
  const one = await h.ask("GET", `/api/documents/${document.id}?include=team`, { as: "other" });
  assert.equal(one.data.team.name, "Press");
  assert.equal(
    one.headers.get("etag"),
    null,
    "the version of the document says nothing of its team",
  );
});

Deno.test("selection: a file comes with its owner and its folder, whose place its owner alone sees", async () => {
  await using h = await harness({ variant: "full" });
  await h.grant("user", "files:create", "files:update");
  const folder = await h.ask("POST", "/api/folders", { as: "user", body: { name: "Reports" } });
  const file = await upload(h, "user", {
    bytes: pdf(),
    name: "a.pdf",
    type: "application/pdf",
    fields: { folderId: folder.data.id },
  });
  const path = `/api/files/${file.id}?include=owner,folder`;
  const own = await h.ask("GET", path, { as: "user" });
  assert.deepEqual(own.data.owner, { id: h.accounts.user.id, name: "User Person" });
  assert.deepEqual(own.data.folder, { id: folder.data.id, name: "Reports", path: "/Reports" });
  const body = { userId: h.accounts.other.id };
  await h.ask("POST", `/api/files/${file.id}/share`, { as: "user", body });
  await h.grant("other", "files:view");
  const shared = await h.ask("GET", path, { as: "other" });
  assert.equal(shared.data.owner.name, "User Person");
  assert.equal(shared.data.folder, undefined);
});

Deno.test("selection: every list and record offers it, and every reference has a field to come from", async () => {
  await using h = await harness({ variant: "full" });
  const able = h.app.endpoints.filter((endpoint) => selectable(endpoint) !== null);
  assert.ok(able.length > 25, `${able.length}`);
  for (const endpoint of able) {
    const { fields } = selectable(endpoint)!;
    for (const [name, { from }] of Object.entries(endpoint.include ?? {})) {
      assert.ok(fields.includes(from), `${endpoint.operationId}: ${from}`);
      assert.equal(fields.includes(name), false, `${endpoint.operationId}: ${name} is there`);
    }
  }
  const asked = [
    "listUsers",
    "getUser",
    "listTeams",
    "listEvents",
    "listRoles",
    "listNotifications",
  ];
  const ids = able.map(({ operationId }) => operationId);
  assert.deepEqual(asked.filter((id) => !ids.includes(id)), []);
});
