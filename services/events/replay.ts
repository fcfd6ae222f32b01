// From an entry of the journal to what it tells, and where in the journal a client resumes.
import { delay } from "../../core/delay.ts";
import { ApiError, invalid } from "../../core/errors.ts";
import { MINUTE } from "../../core/units.ts";
import { JOURNAL_RETENTION } from "../../storage/limits.ts";
import type { JournalEntry, Store } from "../../storage/port.ts";
import { commitOf, eventsOf, type RecordEvent } from "./event.ts";
import { consequencesOf, type Reload } from "./memberships.ts";
import { type Sight, sightsOf } from "./sights.ts";

/** One thing that an entry tells, in its place. */
export type Item =
  | { readonly position: string; readonly sight: Sight; readonly reload?: undefined }
  | { readonly position: string; readonly reload: Reload; readonly sight?: undefined };

/** Events of which it is looked up at a time who may know of them. */
const PIECE = 250;

/**
 * What an entry tells, in the order of the positions and in pieces: an entry may be of thousands of records. Others get
 * their turn on the event loop between two pieces.
 *
 * @param after A position: what comes up to it is left out. @default nothing is
 */
export async function* itemsOf(
  store: Pick<Store, "from">,
  entry: JournalEntry,
  now: () => Date,
  after = "",
): AsyncGenerator<readonly Item[]> {
  let isFirst = true;
  for await (const plan of plansOf(store, entry, now, after)) {
    if (!isFirst) await delay();
    isFirst = false;
    const events = plan.flatMap((one) => "collection" in one ? one : []);
    const sights = await sightsOf(store, events, now().toISOString());
    const items: Item[] = [
      ...sights.map((sight) => ({ position: sight.event.position, sight })),
      ...plan.flatMap((one) => "collection" in one ? [] : { position: one.position, reload: one }),
    ];
    yield items.sort(byPosition);
  }
}

type Planned = RecordEvent | Reload;

/** Pieces of what an entry tells; what follows from memberships is looked up once all else was told. */
async function* plansOf(
  store: Pick<Store, "from">,
  entry: JournalEntry,
  now: () => Date,
  after: string,
): AsyncGenerator<readonly Planned[]> {
  const isBehind = ({ position }: Planned) => position > after;
  yield* piecesOf(eventsOf(entry).filter(isBehind));
  const { events, reloads } = await consequencesOf(store, entry, now().toISOString());
  yield* piecesOf([...events, ...reloads].filter(isBehind).sort(byPosition));
}

function* piecesOf(all: readonly Planned[]): Iterable<readonly Planned[]> {
  for (let at = 0; at < all.length; at += PIECE) yield all.slice(at, at + PIECE);
}

function byPosition(a: { readonly position: string }, b: { readonly position: string }): number {
  return a.position < b.position ? -1 : 1;
}

/**
 * Where a stream begins: with what comes, with all that is kept, behind a place that the client names, or anew, because
 * what came behind that place is not all kept any more.
 */
export type Start =
  | { readonly kind: "now" | "earliest" | "anew" }
  | { readonly kind: "behind"; readonly position: string };

/** The journal, a commit's place as the engines write it, and what stands behind it for a place within the commit. */
const ID = /^(?:([0-9a-f]{8})~)?([0-9a-f]{16,20}(?:\.\d{4,6})?(?:-[\w:.-]{1,300})?)$/;

/** Entries this close to their end are not begun with: they may be gone before they are sent. Milliseconds. */
const MARGIN = 5 * MINUTE;

/** Whether an entry may be gone at any moment, and others before it are. */
export function isFading({ at }: JournalEntry, now: Date): boolean {
  return Date.parse(at) <= now.getTime() - JOURNAL_RETENTION + MARGIN;
}

/**
 * Where a client wants to begin: anew with an id of another journal, too. It is that of the store that this one was
 * restored or moved from, and refused its client would come with it for good.
 *
 * @param journal What ids of this journal begin with.
 * @param asked `earliest`, or the last id that it has; absent: with what comes.
 * @throws {ApiError} VALIDATION_ERROR for what was never an id.
 */
export async function startAt(
  store: Pick<Store, "entry">,
  journal: string,
  asked: string | undefined,
  now: Date,
): Promise<Start> {
  if (asked === undefined) return { kind: "now" };
  if (asked === "earliest") return { kind: "earliest" };
  const [, of = "", position] = ID.exec(asked) ?? [];
  if (position === undefined) throw unknownPosition();
  if (of !== journal) return { kind: "anew" };
  const entry = await store.entry(commitOf(position));
  return entry === null || isFading(entry, now) ? { kind: "anew" } : { kind: "behind", position };
}

function unknownPosition(): ApiError {
  return invalid(
    "lastEventId",
    "is no id of an event of this server: leave it out, or begin with 'earliest'",
  );
}
