// Events as they follow from the journal: one for each public record that a commit concerns.
import type { JournalChange, JournalEntry, Traits } from "../../storage/port.ts";

/** The collections of which events tell, by the name that clients know; others tell of these. */
export const PUBLIC_COLLECTIONS = [
  "users",
  "roles",
  "permissions",
  "teams",
  "documents",
  "files",
  "folders",
  "conversations",
  "messages",
  "notifications",
  "preferences",
  "events",
  "tasks",
  "snippets",
] as const;

export type PublicCollection = typeof PUBLIC_COLLECTIONS[number];

export type Op = "created" | "updated" | "removed";

/** What a commit did to one public record, whoever may know of it. */
export interface RecordEvent {
  /** The place in the journal: of the commit, and within it. Positions are in order as text. */
  readonly position: string;
  readonly collection: PublicCollection;
  readonly id: string;
  /** What was done to the record; `updated` where only what belongs to it has changed, such as its shares. */
  readonly op: Op;
  /** ISO 8601. */
  readonly at: string;
  /** Id of the user who did it; null for the server itself. */
  readonly actor: string | null;
  /** The trace that it was done in, where there is one. */
  readonly traceparent?: string;
  /** The record's own traits, where the commit wrote the record. */
  readonly traits: Traits;
  /** Before an update that changed them. */
  readonly were: Traits;
  /** Who may have begun to see it by what the commit wrote beside it. */
  readonly gained: Circle;
  /** Who may have ceased to see it. */
  readonly lost: Circle;
  /** Ids of the only users to whom anything has changed; null: to all who see it. */
  readonly only: ReadonlySet<string> | null;
}

/** Users, by their ids and by their teams'. */
export interface Circle {
  readonly users: ReadonlySet<string>;
  readonly teams: ReadonlySet<string>;
}

/** What a change beside a public record says of that record. */
interface Link {
  readonly collection: PublicCollection;
  readonly id: string | undefined;
  readonly gained?: Traits;
  readonly lost?: Traits;
  /** Nobody else is told. */
  readonly only?: string | undefined;
}

/** Who comes to see a record, or ceases to, by a record that names them. */
function opening({ op, traits = {} }: JournalChange): Pick<Link, "gained" | "lost"> {
  return op === "insert" ? { gained: traits } : op === "remove" ? { lost: traits } : {};
}

/** What changes to the other collections say of public records. */
const LINKS: Readonly<Record<string, (change: JournalChange, traits: Traits) => readonly Link[]>> =
  {
    shares: (change, { documentId, fileId }) => [
      { collection: "documents", id: documentId, ...opening(change) },
      { collection: "files", id: fileId, ...opening(change) },
    ],
    teamMembers: (change, { teamId, userId = "" }) => [
      { collection: "teams", id: teamId, ...withoutTeam(opening(change), userId) },
    ],
    participants: (change, { conversationId }) => [
      { collection: "conversations", id: conversationId, ...opening(change) },
    ],
    receipts: (change, { messageId, conversationId, userId }) => [
      // A new receipt comes with its message, of which all are told anyway.
      { collection: "messages", id: messageId, only: userId, ...opening(change) },
      { collection: "conversations", id: conversationId, only: userId },
    ],
    attendees: (change, { eventId }) => [
      { collection: "events", id: eventId, ...opening(change) },
    ],
    reminders: (_, { eventId, userId }) => [{ collection: "events", id: eventId, only: userId }],
    documentTags: (_, { documentId }) => [{ collection: "documents", id: documentId }],
    fileVersions: (_, { fileId }) => [{ collection: "files", id: fileId }],
  };

/** A membership opens its team to one user, not to all who are in it. */
function withoutTeam(
  { gained, lost }: Pick<Link, "gained" | "lost">,
  userId: string,
): Pick<Link, "gained" | "lost"> {
  return { ...(gained ? { gained: { userId } } : {}), ...(lost ? { lost: { userId } } : {}) };
}

const OPS: Readonly<Record<JournalChange["op"], Op>> = {
  insert: "created",
  update: "updated",
  remove: "removed",
};

const PUBLIC: ReadonlySet<string> = new Set(PUBLIC_COLLECTIONS);

export function isPublic(collection: string): collection is PublicCollection {
  return PUBLIC.has(collection);
}

/** The events of a commit, in their order. */
export function eventsOf({ seq, at, actor, changes }: JournalEntry): readonly RecordEvent[] {
  const drafts = new Map<string, Draft>();
  const draftOf = (collection: PublicCollection, id: string): Draft => {
    const key = `${collection} ${id}`;
    let draft = drafts.get(key);
    if (!draft) drafts.set(key, draft = new Draft(collection, id));
    return draft;
  };
  for (const change of changes) {
    if (isPublic(change.collection)) draftOf(change.collection, change.id).write(change);
    for (const link of LINKS[change.collection]?.(change, change.traits ?? {}) ?? []) {
      if (link.id !== undefined) draftOf(link.collection, link.id).link(link);
    }
  }
  const hidden = keptToOneself(changes);
  return [...drafts.values()].map((draft, place) => ({
    ...draft.event(hidden),
    position: `${seq}-${String(place + 1).padStart(PLACE_DIGITS, "0")}`,
    at,
    actor: actor.userId,
    traceparent: actor.traceparent,
  }));
}

/** A commit on Deno KV or SQL changes far fewer records than this has digits for. */
const PLACE_DIGITS = 6;

/**
 * Ids of the conversations in which messages were deleted for oneself alone, and nothing else was done: that changes them
 * for nobody else, and nobody else learns of it.
 */
function keptToOneself(changes: readonly JournalChange[]): ReadonlySet<string> {
  const written = new Set(
    changes.flatMap(({ collection, id }) => collection === "messages" ? id : []),
  );
  const hidden = new Set<string>();
  const open = new Set<string>();
  for (const { collection, op, traits: { conversationId, messageId } = {} } of changes) {
    if (conversationId === undefined) continue;
    if (collection === "participants" || written.has(messageId ?? "")) open.add(conversationId);
    else if (collection === "receipts" && op === "remove") hidden.add(conversationId);
  }
  return hidden.difference(open);
}

class Draft {
  #op: Op = "updated";
  #traits: Traits = {};
  #were: Traits = {};
  /** Whether all who see the record are told. */
  #forAll = false;
  readonly #only = new Set<string>();
  readonly #gained = { users: new Set<string>(), teams: new Set<string>() };
  readonly #lost = { users: new Set<string>(), teams: new Set<string>() };

  constructor(readonly collection: PublicCollection, readonly id: string) {}

  write({ op, traits = {}, were }: JournalChange): void {
    this.#op = OPS[op];
    this.#traits = traits;
    this.#were = were ?? {};
    this.#forAll = true;
    if (were) addTo(this.#gained, changed(traits, were));
  }

  link({ gained, lost, only }: Link): void {
    if (only === undefined) this.#forAll = true;
    else this.#only.add(only);
    addTo(this.#gained, gained);
    addTo(this.#lost, lost);
  }

  /** @param hidden See `keptToOneself`. */
  event(
    hidden: ReadonlySet<string>,
  ): Omit<RecordEvent, "position" | "at" | "actor" | "traceparent"> {
    const isHidden = this.collection === "conversations" && hidden.has(this.id);
    const forAll = this.#forAll && !isHidden;
    return {
      collection: this.collection,
      id: this.id,
      op: this.#op,
      traits: this.#traits,
      were: this.#were,
      gained: this.#gained,
      lost: this.#lost,
      only: forAll ? null : this.#only,
    };
  }
}

/** To whom a record goes by an update: its new owner and its new team. */
function changed({ ownerId, userId = ownerId, teamId }: Traits, were: Traits): Traits {
  return {
    ...(userId === undefined || userId === (were.userId ?? were.ownerId) ? {} : { userId }),
    ...(teamId === undefined || teamId === were.teamId ? {} : { teamId }),
  };
}

function addTo(
  circle: { readonly users: Set<string>; readonly teams: Set<string> },
  { userId, teamId }: Traits = {},
): void {
  if (userId !== undefined) circle.users.add(userId);
  if (teamId !== undefined) circle.teams.add(teamId);
}

/** The place of a commit in the journal, of a position in it. */
export function commitOf(position: string): string {
  return position.split("-", 1)[0]!;
}

/** Whether a position is a place within a commit: there may be more behind it. */
export function isWithin(position: string): boolean {
  return position.includes("-");
}
