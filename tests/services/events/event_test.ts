// Events as they follow from an entry of the journal.
import assert from "node:assert/strict";
import type { JournalChange, JournalEntry } from "../../../storage/port.ts";
import { commitOf, eventsOf } from "../../../services/events/event.ts";

function entryOf(...changes: JournalChange[]): JournalEntry {
  const at = "2026-11-22T10:00:00.000Z";
  return { seq: "0000000000000007", at, actor: { userId: "ann" }, changes };
}

function shown(entry: JournalEntry) {
  return eventsOf(entry).map(({ collection, id, op, only, gained, lost }) => ({
    what: `${collection}.${op} ${id}`,
    only: only && [...only],
    gained: [...gained.users, ...gained.teams],
    lost: [...lost.users, ...lost.teams],
  }));
}

Deno.test("a commit makes one event for each public record, in its order", () => {
  const events = eventsOf(entryOf(
    { collection: "documents", id: "d1", op: "insert", traits: { ownerId: "ann" } },
    { collection: "documentTags", id: "t1", op: "insert", traits: { documentId: "d1" } },
    { collection: "auditLog", id: "a1", op: "insert" },
    { collection: "users", id: "ann", op: "update" },
  ));
  assert.deepEqual(
    events.map(({ position, collection, op }) => [position, collection, op]),
    [
      ["0000000000000007-000001", "documents", "created"],
      ["0000000000000007-000002", "users", "updated"],
    ],
  );
  assert.deepEqual(events.map(({ actor, at }) => [actor, at])[0], ["ann", entryOf().at]);
  assert.equal(commitOf(events[0]!.position), entryOf().seq);
  assert.ok(events[0]!.position > entryOf().seq, "positions sort behind their commit");
});

Deno.test("a share tells of its document, and of whom it opens it to", () => {
  const traits = { documentId: "d1", userId: "bob" };
  assert.deepEqual(shown(entryOf({ collection: "shares", id: "s1", op: "insert", traits })), [
    { what: "documents.updated d1", only: null, gained: ["bob"], lost: [] },
  ]);
  assert.deepEqual(shown(entryOf({ collection: "shares", id: "s1", op: "remove", traits })), [
    { what: "documents.updated d1", only: null, gained: [], lost: ["bob"] },
  ]);
});

Deno.test("a membership opens the team to the member, not to the team", () => {
  const traits = { teamId: "t1", userId: "bob" };
  assert.deepEqual(shown(entryOf({ collection: "teamMembers", id: "m1", op: "insert", traits })), [
    { what: "teams.updated t1", only: null, gained: ["bob"], lost: [] },
  ]);
});

Deno.test("who deletes a message for themselves alone is the only one to learn of it", () => {
  const traits = { messageId: "m1", conversationId: "c1", userId: "bob" };
  assert.deepEqual(
    shown(entryOf(
      { collection: "receipts", id: "r1", op: "remove", traits },
      { collection: "conversations", id: "c1", op: "update" },
    )),
    [
      { what: "messages.updated m1", only: ["bob"], gained: [], lost: ["bob"] },
      { what: "conversations.updated c1", only: ["bob"], gained: [], lost: [] },
    ],
  );
});

Deno.test("it stays so beside what else the commit does, but for the same conversation", () => {
  const traits = { messageId: "m1", conversationId: "c1", userId: "bob" };
  const hiding: JournalChange[] = [
    { collection: "receipts", id: "r1", op: "remove", traits },
    { collection: "conversations", id: "c1", op: "update" },
  ];
  const sending = (conversationId: string): JournalChange[] => [
    { collection: "messages", id: "m2", op: "insert", traits: { senderId: "bob" } },
    {
      collection: "receipts",
      id: "r2",
      op: "insert",
      traits: { messageId: "m2", conversationId, userId: "ann" },
    },
    { collection: "conversations", id: conversationId, op: "update" },
  ];
  const told = (...changes: JournalChange[]) =>
    shown(entryOf(...changes)).filter(({ what }) => what.startsWith("conversations"))
      .map(({ what, only }) => [what, only]);
  assert.deepEqual(told(...hiding, ...sending("c2")), [
    ["conversations.updated c1", ["bob"]],
    ["conversations.updated c2", null],
  ]);
  assert.deepEqual(told(...hiding, ...sending("c1")), [["conversations.updated c1", null]]);
});

Deno.test("a record that goes to another owner or team is opened to them", () => {
  const were = { ownerId: "ann", teamId: "t1" };
  const change = { collection: "documents", id: "d1", op: "update" } as const;
  const opened = (traits: Record<string, string>) =>
    shown(entryOf({ ...change, traits, were })).map(({ gained }) => gained);
  assert.deepEqual(opened({ ownerId: "ann", teamId: "t2" }), [["t2"]]);
  assert.deepEqual(opened({ ownerId: "bob", teamId: "t1" }), [["bob"]]);
  assert.deepEqual(opened({ ownerId: "ann" }), [[]]);
});

Deno.test("entries of the first releases have no traits, and make events all the same", () => {
  assert.deepEqual(
    shown(entryOf(
      { collection: "shares", id: "s1", op: "insert" },
      { collection: "documents", id: "d1", op: "remove" },
    )),
    [{ what: "documents.removed d1", only: null, gained: [], lost: [] }],
  );
});
