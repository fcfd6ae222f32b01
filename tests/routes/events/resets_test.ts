// Who is asked to read anew, because more has come or gone for them than is told one by one.
import assert from "node:assert/strict";
import { deletions } from "../../../models/deletions.ts";
import { documents } from "../../../models/documents.ts";
import { roles } from "../../../models/roles.ts";
import { teamMembers, teams } from "../../../models/teams.ts";
import { finishDeletion } from "../../../services/content/deletions.ts";
import { listen, type Listener } from "../../event_stream.ts";
import { until } from "../../until.ts";
import { upload } from "../../uploads.ts";
import { sceneOf } from "./event_scene.ts";

Deno.test("resets: a team with more than is told one by one asks its new members to read anew", async () => {
  await using scene = await sceneOf();
  const { h, act } = scene;
  const userId = h.accounts.other.id;
  const team = await act("user", "POST", "/teams", { name: "Team" });
  for (let n = 0; n < 101; n++) {
    await act("user", "POST", "/documents", { title: `${n}`, teamId: team.id });
  }
  const other = await listen(h, "other", "?collections=documents,users");
  await act("user", "POST", `/teams/${team.id}/members`, { userId });
  const reset = await other.event("reset");
  assert.deepEqual(reset.data, { reason: "membership", collections: ["documents"] });
  assert.deepEqual(other.told, ["reset"]);
});

Deno.test("resets: whoever leaves a team that goes, or loses what it has, is asked to read anew, live and later", async () => {
  await using scene = await sceneOf();
  const { h, act } = scene;
  const userId = h.accounts.other.id;
  const joined = async () => {
    const team = await act("user", "POST", "/teams", { name: "Team" });
    const document = await act("user", "POST", "/documents", { title: "of it", teamId: team.id });
    await act("user", "POST", `/teams/${team.id}/members`, { userId });
    return { team, document };
  };
  const ends: Readonly<Record<string, (had: Awaited<ReturnType<typeof joined>>) => unknown>> = {
    "the team is deleted": ({ team }) => act("user", "DELETE", `/teams/${team.id}`),
    "the team is deleted in pieces": async ({ team: { id } }) => {
      const actor = { userId: h.accounts.user.id };
      await h.store.transact(actor, async (tx) => {
        tx.insert(deletions, { id, kind: "team", actorId: actor.userId });
        tx.update(teams, (await tx.from(teams).get(id))!, {});
      });
      await finishDeletion(h.store, id);
    },
    "the document goes with the membership": ({ team, document }) =>
      h.store.transact({ userId: null }, async (tx) => {
        tx.remove(documents, (await tx.from(documents).get(document.id))!);
        const where = { teamId: team.id, userId };
        for (const member of (await tx.from(teamMembers).list({ where })).rows) {
          tx.remove(teamMembers, member);
        }
      }),
    "the document goes before the membership, and both before it is told": async (
      { team, document },
    ) => {
      await act("user", "DELETE", `/documents/${document.id}?permanent=true`);
      await act("user", "DELETE", `/teams/${team.id}/members/${userId}`);
    },
  };
  for (const [name, end] of Object.entries(ends)) {
    const had = await joined();
    const before = h.store.position();
    const live = await listen(h, "other", "?collections=teams,documents");
    await end(had);
    const last = await act("other", "POST", "/documents", { title: "own" });
    const later = await listen(h, "other", `?collections=teams,documents&lastEventId=${before}`);
    for (const listener of [live, later]) {
      await listener.event("documents.created", last.id);
      await listener.event("teams.removed", had.team.id);
      const resets = listener.events.filter(({ type }) => type === "reset");
      assert.ok(resets.some(({ data }) => data.collections.includes("documents")), name);
      const ids = listener.events.map(({ id }) => id);
      assert.deepEqual(ids, [...new Set(ids)].sort(), name);
    }
  }
});

Deno.test("resets: a folder that comes back in pieces is to be read anew by who sees it, once it is whole", async () => {
  await using scene = await sceneOf();
  const { h, act } = scene;
  await h.grant("guest", "files:view");
  const outer = await act("user", "POST", "/folders", { name: "Outer" });
  const inner = await act("user", "POST", "/folders", { name: "Inner", parentId: outer.id });
  const ids = [];
  for (let n = 0; n < 130; n++) {
    const folderId = n % 2 ? outer.id : inner.id;
    ids.push((await upload(h, "user", { name: `${n}.png`, fields: { folderId } })).id);
  }
  const team = await act("user", "POST", "/teams", { name: "Team" });
  await act("user", "POST", `/teams/${team.id}/members`, { userId: h.accounts.guest.id });
  await act("user", "POST", `/files/${ids[0]}/share`, { userId: h.accounts.other.id });
  await act("user", "POST", `/files/${ids[1]}/share`, { teamId: team.id });
  await act("user", "DELETE", `/folders/${outer.id}?recursive=true`);
  const before = h.store.position();
  const query = "?collections=files,folders";
  const concerned = ["user", "other", "guest", "super"] as const;
  const streams = await Promise.all(concerned.map((account) => listen(h, account, query)));
  await act("user", "POST", `/trash/${outer.id}/restore`);
  const last = h.store.position();
  const again = `${query}&lastEventId=${before}`;
  streams.push(...await Promise.all(concerned.map((account) => listen(h, account, again))));
  for (const stream of streams) {
    const { data, id } = await stream.event("reset");
    assert.deepEqual(data, {
      reason: "membership",
      collections: ["folders", "files"],
    });
    assert.ok(id.startsWith(`${last}-`), `${id} is in ${last}`);
    assert.equal(stream.events.filter(({ type }) => type === "reset").length, 1);
  }
  // To whom nothing of it is shared any more learns nothing.
  await act("user", "DELETE", `/files/${ids[0]}?permanent=true`);
  await act("user", "DELETE", `/folders/${outer.id}?recursive=true`);
  const stranger = await listen(h, "other", query);
  await act("user", "POST", `/trash/${outer.id}/restore`);
  const own = await act("other", "POST", "/folders", { name: "Own" });
  await stranger.event("folders.created", own.id);
  assert.deepEqual(stranger.told, [`folders.created ${own.id}`]);
});

Deno.test("resets: who may do more or less by their role, or by another one, is asked to read anew, live and later", async () => {
  await using scene = await sceneOf();
  const { h, act } = scene;
  const role = await act("super", "POST", "/roles", {
    name: "reader",
    permissions: ["files:view"],
  });
  await act("super", "PUT", `/users/${h.accounts.other.id}`, { role: "reader", permissions: [] });
  const permits = (permissions: string[]) =>
    act("super", "PUT", `/roles/${role.id}/permissions`, { permissions });
  const resetsOf = ({ events }: Listener) => events.filter(({ type }) => type === "reset");
  const stream = await listen(h, "other");
  const aside = await listen(h, "user");
  const start = stream.lastEventId;

  await permits(["files:view", "documents:view"]);
  const { data } = await stream.event("reset");
  assert.deepEqual(data, { reason: "permissions", collections: null });
  await permits(["files:view"]);
  await until(() => resetsOf(stream).length === 2, "a reset for what was taken away");
  await act("super", "PUT", `/users/${h.accounts.other.id}`, { role: "guest" });
  await until(() => resetsOf(stream).length === 3, "a reset for the other role");
  // Neither somebody else's role nor a name changes what one may do.
  await permits(["documents:view"]);
  for (const [account, watching, had] of [["other", stream, 3], ["user", aside, 0]] as const) {
    const path = `/users/${h.accounts[account].id}`;
    const { position } = await act("super", "PUT", path, { name: "Renamed" });
    await watching.reaches(position);
    assert.equal(resetsOf(watching).length, had, watching.text);
  }

  await act("super", "PUT", `/users/${h.accounts.other.id}`, { role: "reader" });
  const again = await listen(h, "other", `?lastEventId=${start}`);
  assert.equal((await again.event("reset")).data.reason, "permissions");
});

Deno.test("resets: who got another role while away is asked to read anew once, however often theirs was written", async () => {
  await using scene = await sceneOf();
  const { h, act } = scene;
  const away = await listen(h, "other", "?collections=documents");
  const start = away.lastEventId;
  await away.drop();
  const resetsFrom = async (id: string) => {
    const { position } = await act("super", "POST", "/documents", { title: "Plans" });
    const stream = await listen(h, "other", `?collections=documents&lastEventId=${id}`);
    await stream.reaches(position);
    await stream.drop();
    return stream.events.filter(({ type }) => type === "reset").map(({ data }) => data.reason);
  };
  const { position } = await act("super", "PUT", `/users/${h.accounts.other.id}`, {
    role: "admin",
  });
  assert.deepEqual(await resetsFrom(start), ["permissions"], "another role");
  assert.deepEqual(await resetsFrom(position), [], "that was told");
  for (const description of ["once", "twice"]) {
    const { rows: [role] } = await h.store.from(roles).list({ where: { name: "admin" } });
    await act("super", "PUT", `/roles/${role!.id}`, { description });
  }
  assert.deepEqual(await resetsFrom(start), ["permissions"], "the role was written twice");
  assert.deepEqual(await resetsFrom("earliest"), [], "who begins has read nothing yet");
});

Deno.test("resets: a program whose key opens more, or less, of what everyone may is asked to read anew", async () => {
  await using scene = await sceneOf();
  const { h, act } = scene;
  const body = { name: "Nightly", scopes: ["documents:view"] };
  const { data: { id, key } } = await h.ask("POST", "/api/auth/keys", { as: "user", body });
  const stream = await listen(h, null, "?collections=documents,snippets", {
    authorization: `Bearer ${key}`,
  });
  await act("user", "PUT", `/auth/keys/${id}`, { scopes: ["documents:view", "snippets:view"] });
  assert.equal((await stream.event("reset")).data.reason, "permissions");
  await act("user", "PUT", `/auth/keys/${id}`, { name: "Hourly" });
  await act("user", "PUT", `/auth/keys/${id}`, { scopes: ["documents:view"] });
  const document = await act("user", "POST", "/documents", { title: "Plans" });
  await stream.event("documents.created", document.id);
  assert.deepEqual(stream.told, ["reset", "reset", `documents.created ${document.id}`]);
});
