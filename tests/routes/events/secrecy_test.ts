// Who is told what: nobody of what they may not see, in every collection; and those to whom something is opened or closed.
import assert from "node:assert/strict";
import { listen, type Listener } from "../../event_stream.ts";
import { type Account, type Harness, harness } from "../../harness.ts";
import { deletions } from "../../../models/deletions.ts";
import { documents } from "../../../models/documents.ts";
import { notifications } from "../../../models/notifications.ts";
import { teamMembers, teams } from "../../../models/teams.ts";
import { PUBLIC_COLLECTIONS } from "../../../services/events/event.ts";
import { finishDeletion } from "../../../services/content/deletions.ts";
import { upload } from "../../uploads.ts";

const SECRET = "for the owner's eyes";
const ACTIONS = ["view", "create", "update", "delete"];
const EVERYTHING = ["documents", "files", "messages", "calendar", "teams"].flatMap((resource) =>
  ACTIONS.map((action) => `${resource}:${action}`)
);
/** Collections that a permission alone opens; the stranger lacks it. */
const ADMINISTRATION = new Set(["users", "roles", "permissions"]);

interface Done {
  readonly id: string;
  readonly position: string;
}

interface Scene {
  readonly h: Harness;
  act(
    as: Account,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Done>;
}

async function sceneOf(variant = "full"): Promise<Scene & AsyncDisposable> {
  const h = await harness({ variant, env: { UPLOAD_TYPES: "*" } });
  await h.grant("user", ...EVERYTHING);
  await h.grant("other", ...EVERYTHING);
  return {
    h,
    async act(as, method, path, body) {
      const reply = await h.ask(method, `/api${path}`, { as, body });
      assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`);
      const position = reply.headers.get("x-journal-position")!;
      return { id: reply.data?.id, position };
    },
    [Symbol.asyncDispose]: () => h[Symbol.asyncDispose](),
  };
}

/** Makes, changes and ends one of everything that is the user's. @returns The ids, and the last position. */
async function liveThrough({ h, act }: Scene): Promise<{ ids: string[]; last: string }> {
  const friend = h.accounts.admin.id;
  const team = await act("user", "POST", "/teams", { name: SECRET });
  await act("user", "POST", `/teams/${team.id}/members`, { userId: friend });
  const document = await act("user", "POST", "/documents", { title: SECRET, teamId: team.id });
  await act("user", "POST", `/documents/${document.id}/tags`, { name: "tagged" });
  await act("user", "POST", `/documents/${document.id}/share`, { userId: friend });
  await act("user", "PUT", `/documents/${document.id}`, { content: SECRET });
  const folder = await act("user", "POST", "/folders", { name: SECRET });
  const file = await upload(h, "user");
  await act("user", "PUT", `/files/${file.id}`, { name: "secret2.txt", folderId: folder.id });
  await act("user", "POST", `/files/${file.id}/share`, { userId: friend });
  const event = await act("user", "POST", "/calendar/events", {
    title: SECRET,
    start: "2026-11-22T09:00:00Z",
    attendeeIds: [friend],
  });
  await act("user", "POST", `/calendar/events/${event.id}/reminder`, { minutesBefore: 5 });
  const message = await act("user", "POST", "/messages", { recipientId: friend, content: SECRET });
  await act("admin", "PUT", `/messages/${message.id}/read`);
  const snippet = await act("user", "POST", "/share", {
    content: SECRET,
    language: "markdown",
    userId: h.accounts.user.id,
  });
  const notification = await h.store.transact({ userId: null }, (tx) =>
    tx.insert(notifications, {
      userId: h.accounts.user.id,
      type: "system",
      title: SECRET,
      content: SECRET,
      read: false,
    }));
  await act("user", "PUT", `/notifications/${notification.id}/read`);
  await act("user", "PUT", "/users/me/preferences", { search: SECRET });
  await act("super", "PUT", `/users/${h.accounts.guest.id}`, { name: "Renamed" });
  const role = await act("super", "POST", "/roles", { name: "auditor" });
  await act("super", "DELETE", `/roles/${role.id}`);
  await act("super", "POST", "/permissions", { name: "reports:view" });
  await act("super", "POST", "/dashboard/tasks", { title: "For all" });
  for (
    const path of [
      `/messages/${message.id}`,
      `/calendar/events/${event.id}`,
      `/files/${file.id}`,
      `/documents/${document.id}`,
      `/folders/${folder.id}`,
      `/teams/${team.id}`,
      `/share/${snippet.id}`,
    ]
  ) await act("user", "DELETE", path);
  const { position } = await act("user", "DELETE", `/notifications/${notification.id}`);
  const ids = [team, document, folder, file, event, message, snippet, notification, role]
    .map(({ id }) => id);
  return { ids, last: position };
}

function collectionsOf({ told }: Listener): Set<string> {
  return new Set(told.map((line) => line.split(".", 1)[0]!));
}

Deno.test("secrecy: of every collection its owner is told, and a stranger nothing, live and later", async () => {
  await using scene = await sceneOf();
  const { h, act } = scene;
  const owner = await listen(h, "user", "?records=true");
  const boss = await listen(h, "super");
  const stranger = await listen(h, "other", "?records=true");
  const { ids, last } = await liveThrough(scene);
  // Something of the stranger's own, so that all before it has come.
  const own = await act("other", "POST", "/documents", { title: "own" });
  await stranger.event("documents.created", own.id);
  await boss.reaches(last);
  await owner.event("notifications.removed");
  const administered = await listen(h, "super", "?lastEventId=earliest");
  await administered.reaches(last);
  const seen = new Set([...collectionsOf(owner), ...collectionsOf(administered)]);
  assert.deepEqual(PUBLIC_COLLECTIONS.filter((name) => !seen.has(name)), [], "never told of");
  for (const name of PUBLIC_COLLECTIONS) {
    if (!ADMINISTRATION.has(name)) assert.ok(collectionsOf(owner).has(name), `owner: ${name}`);
  }
  assert.ok(owner.text.includes(SECRET));
  const later = await listen(h, "other", "?records=true&lastEventId=earliest");
  await later.event("documents.created", own.id);
  for (const [when, { text, told }] of [["live", stranger], ["later", later]] as const) {
    assert.equal(text.includes(SECRET), false, when);
    for (const id of ids) assert.equal(text.includes(id), false, `${when}: ${told.join()}`);
    const administration = told.filter((line) => ADMINISTRATION.has(line.split(".", 1)[0]!));
    assert.deepEqual(
      administration.filter((line) => !line.endsWith(h.accounts.other.id)),
      [],
      when,
    );
  }
});

Deno.test("secrecy: what is shared is told as created, and when it no longer is, once as removed", async () => {
  await using scene = await sceneOf();
  const { h, act } = scene;
  const document = await act("user", "POST", "/documents", { title: SECRET });
  const other = await listen(h, "other", "?records=true&collections=documents");
  const owner = await listen(h, "user", "?collections=documents");
  const share = await act("user", "POST", `/documents/${document.id}/share`, {
    userId: h.accounts.other.id,
  });
  const gained = await other.event("documents.created", document.id);
  assert.equal(gained.data.record.title, SECRET);
  await act("user", "PUT", `/documents/${document.id}`, { content: "more" });
  await other.event("documents.updated", document.id);
  await act("user", "DELETE", `/documents/${document.id}/share/${share.id}`);
  await other.event("documents.removed", document.id);
  await act("user", "PUT", `/documents/${document.id}`, { content: "hidden" });
  const own = await act("other", "POST", "/documents", { title: "own" });
  await other.event("documents.created", own.id);
  assert.deepEqual(other.told, [
    `documents.created ${document.id}`,
    `documents.updated ${document.id}`,
    `documents.removed ${document.id}`,
    `documents.created ${own.id}`,
  ]);
  assert.deepEqual(Object.keys(other.events[2]!.data).sort(), [
    "actor",
    "at",
    "collection",
    "id",
    "op",
  ]);
  // To its owner it is the same document all along.
  assert.deepEqual(owner.told, Array.from({ length: 4 }, () => `documents.updated ${document.id}`));
});

Deno.test("secrecy: joining and leaving a team shows and hides what the team has", async () => {
  await using scene = await sceneOf();
  const { h, act } = scene;
  const userId = h.accounts.other.id;
  const team = await act("user", "POST", "/teams", { name: "Team" });
  const teams = await act("user", "POST", "/documents", { title: "of the team", teamId: team.id });
  const shared = await act("user", "POST", "/documents", { title: "shared with it" });
  await act("user", "POST", `/documents/${shared.id}/share`, { teamId: team.id });
  const file = await upload(h, "user");
  await act("user", "POST", `/files/${file.id}/share`, { teamId: team.id });
  const other = await listen(h, "other", "?collections=teams,documents,files");
  await act("user", "POST", `/teams/${team.id}/members`, { userId });
  for (const one of [teams, shared]) await other.event("documents.created", one.id);
  await other.event("files.created", file.id);
  await other.event("teams.created", team.id);
  await act("user", "PUT", `/documents/${teams.id}`, { content: "seen" });
  await other.event("documents.updated", teams.id);
  await act("user", "DELETE", `/teams/${team.id}/members/${userId}`);
  for (const one of [teams, shared]) await other.event("documents.removed", one.id);
  await other.event("files.removed", file.id);
  await other.event("teams.removed", team.id);
  const { length } = other.told;
  await act("user", "PUT", `/documents/${teams.id}`, { content: "unseen" });
  const own = await act("other", "POST", "/documents", { title: "own" });
  await other.event("documents.created", own.id);
  assert.equal(other.told.length, length + 1, other.told.join());
  assert.deepEqual(other.events.map(({ id }) => id), other.events.map(({ id }) => id).sort());
  // Whoever resumes among what a membership has shown goes on there.
  const [, second] = other.events.filter(({ type }) => type.endsWith("created"));
  const again = await listen(
    h,
    "other",
    `?collections=teams,documents,files&lastEventId=${second!.id}`,
  );
  await again.event("documents.created", own.id);
  assert.ok(!again.events.some(({ id }) => id <= second!.id), again.told.join());
});

Deno.test("secrecy: a team with more than is told one by one asks its new members to read anew", async () => {
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

Deno.test("secrecy: whoever leaves a team that goes, or loses what it has, is asked to read anew, live and later", async () => {
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

Deno.test("secrecy: a folder that comes back in pieces is to be read anew by who sees it, once it is whole", async () => {
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

Deno.test("secrecy: attendees are told of their events, participants of their messages, and of nothing else", async () => {
  await using scene = await sceneOf();
  const { h, act } = scene;
  const userId = h.accounts.other.id;
  const other = await listen(
    h,
    "other",
    "?collections=events,messages,conversations,notifications",
  );
  const event = await act("user", "POST", "/calendar/events", {
    title: "Meeting",
    start: "2026-11-22T09:00:00Z",
  });
  await act("user", "POST", `/calendar/events/${event.id}/attendees`, { userId });
  await other.event("events.created", event.id);
  await other.event("notifications.created");
  await act("user", "DELETE", `/calendar/events/${event.id}/attendees/${userId}`);
  await other.event("events.removed", event.id);
  await act("user", "PUT", `/calendar/events/${event.id}`, { title: "Without them" });

  const sender = await listen(h, "user", "?collections=messages,conversations");
  const message = await act("user", "POST", "/messages", { recipientId: userId, content: "Hello" });
  await other.event("messages.created", message.id);
  await act("other", "PUT", `/messages/${message.id}/read`);
  await sender.event("messages.updated", message.id);
  const told = sender.told.length;
  // Deleting it for oneself is nobody else's matter.
  await act("other", "DELETE", `/messages/${message.id}`);
  await other.event("messages.removed", message.id);
  const next = await act("user", "POST", "/messages", { recipientId: userId, content: "Again" });
  await sender.event("messages.created", next.id);
  assert.deepEqual(
    sender.told.slice(told).filter((line) => line.startsWith("messages")),
    [`messages.created ${next.id}`],
  );
  assert.ok(!sender.events.slice(told).some(({ data }) => data.actor === userId), sender.text);
  const updates = other.told.filter((line) => line === `events.updated ${event.id}`);
  assert.deepEqual(updates, []);
});
