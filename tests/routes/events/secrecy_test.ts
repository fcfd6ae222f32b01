// Who is told what: nobody of what they may not see, in every collection; and those to whom something is opened or closed.
import assert from "node:assert/strict";
import { listen, type Listener } from "../../event_stream.ts";
import { notifications } from "../../../models/notifications.ts";
import { PUBLIC_COLLECTIONS } from "../../../services/events/event.ts";
import { upload } from "../../uploads.ts";
import { type Scene, sceneOf } from "./event_scene.ts";

const SECRET = "for the owner's eyes";
/** Collections that a permission alone opens; the stranger lacks it. */
const ADMINISTRATION = new Set(["users", "roles", "permissions"]);

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

Deno.test("secrecy: what is shared again after its share has expired is told as created", async () => {
  await using scene = await sceneOf();
  const { h, act } = scene;
  const document = await act("user", "POST", "/documents", { title: "for a day" });
  const path = `/documents/${document.id}/share`;
  const until = { userId: h.accounts.other.id, expiresAt: "2026-11-21T11:00:00Z" };
  await act("user", "POST", path, until);
  h.clock.advance(2 * 60 * 60_000);
  const other = await listen(h, "other", "?collections=documents");
  await act("user", "POST", path, { userId: h.accounts.other.id });
  await other.event("documents.created", document.id);
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

Deno.test("secrecy: what a team is given is told its members as created, and its owner as the same", async () => {
  await using scene = await sceneOf();
  const { h, act } = scene;
  const team = await act("user", "POST", "/teams", { name: "Team" });
  await act("user", "POST", `/teams/${team.id}/members`, { userId: h.accounts.other.id });
  const document = await act("user", "POST", "/documents", { title: "Plan" });
  const other = await listen(h, "other", "?collections=documents");
  const owner = await listen(h, "user", "?collections=documents");
  const move = (teamId: string | null) =>
    act("user", "PUT", `/documents/${document.id}`, { teamId });
  await move(team.id);
  // Once it is taken back, members are not told any more that it was given.
  await other.event("documents.created", document.id);
  const { position } = await move(null);
  await other.event("documents.removed", document.id);
  await owner.reaches(position);
  assert.deepEqual(other.told, [
    `documents.created ${document.id}`,
    `documents.removed ${document.id}`,
  ]);
  assert.deepEqual(owner.told, Array.from({ length: 2 }, () => `documents.updated ${document.id}`));
});

Deno.test("secrecy: what is deleted for oneself in a batch is nobody else's matter either", async () => {
  await using scene = await sceneOf();
  const { h, act } = scene;
  const recipientId = h.accounts.other.id;
  const message = await act("user", "POST", "/messages", { recipientId, content: "Hello" });
  const sender = await listen(h, "user", "?collections=messages,conversations");
  const third = { recipientId: h.accounts.admin.id, content: "Hi" };
  await act("other", "POST", "/batch", {
    operations: [
      { method: "DELETE", path: `/api/messages/${message.id}` },
      { method: "POST", path: "/api/messages", body: third },
    ],
  });
  // Something that is the sender's matter, so that all before it has come.
  const next = await act("other", "POST", "/messages", {
    recipientId: h.accounts.user.id,
    content: "Again",
  });
  await sender.event("messages.created", next.id);
  assert.deepEqual(sender.events.filter(({ id }) => id < next.position), []);
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
