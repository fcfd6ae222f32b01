// From changes to the operations of a commit: records, unique keys, counts, the journal, and the checks that guard them.
import { timeOfId } from "../core/ids.ts";
import type { Work } from "../core/slices.ts";
import {
  type Actor,
  type Change,
  type CollectionDeclaration,
  type Entity,
  type JournalChange,
  UniqueConflict,
  VersionConflict,
} from "../storage/port.ts";
import { journalled } from "../storage/traits.ts";
import type { Check, Mutation } from "./client.ts";
import { type EncodedRecord, encodeRecord, isSplit, type SplitHeader, splitOf } from "./codec.ts";
import { journalEntry, journalMutation } from "./journal.ts";
import {
  countKey,
  type Key,
  keyText,
  partKey,
  recordKey,
  uniqueKey,
  unorderedKey,
} from "./keys.ts";

/** A check, and what it means when it fails. */
export class Guard implements Check {
  readonly kind = "check";

  /**
   * @param name The id of a record, or the name of a unique key, as declared.
   * @param of Which of both it is.
   */
  constructor(
    readonly key: Key,
    readonly versionstamp: string | null,
    readonly collection: string,
    readonly name: string,
    readonly of: "record" | "unique",
  ) {}

  conflict(): VersionConflict | UniqueConflict {
    return this.of === "record"
      ? new VersionConflict(this.collection, this.name)
      : new UniqueConflict(this.collection, this.name);
  }
}

/** A record that the commit writes; `after` is null when it removes it. */
export interface PlannedWrite {
  readonly collection: string;
  readonly id: string;
  readonly after: Entity | null;
  /** Whether there was no such record before. */
  readonly isNew: boolean;
  /** Its JSON, where that is stored in one piece of text. */
  readonly text: string | null;
  /** Bytes of its JSON in memory. */
  readonly bytes: number;
}

export interface CommitPlan {
  /** What the commit checks, by the text of the key. */
  readonly guards: ReadonlyMap<string, Guard>;
  /** Sets and deletes: they may be repeated, because doing them twice changes nothing more. */
  readonly writes: readonly Mutation[];
  /** Texts of the keys of the records and unique values that it writes. */
  readonly written: ReadonlySet<string>;
  /** By how many records each collection grows. */
  readonly growth: ReadonlyMap<string, number>;
  /** Its entry in the journal; null when it writes nothing. */
  readonly entry: string | null;
  readonly records: readonly PlannedWrite[];
}

/**
 * What must be done exactly once for commits in one atomic operation: their counts, and their journal entries.
 *
 * @param commit By which the journal finds the operation. @default none
 */
export function closingOf(plans: readonly CommitPlan[], commit?: string): Mutation[] {
  const growth = new Map<string, number>();
  const entries: string[] = [];
  for (const plan of plans) {
    plan.growth.forEach((by, collection) =>
      growth.set(collection, (growth.get(collection) ?? 0) + by)
    );
    if (plan.entry !== null) entries.push(plan.entry);
  }
  const closing: Mutation[] = [];
  growth.forEach((by, collection) => {
    if (by !== 0) closing.push({ kind: "sum", key: countKey(collection), by });
  });
  if (entries.length > 0) closing.push(journalMutation(entries, commit));
  return closing;
}

// deno-lint-ignore no-explicit-any -- declarations of different records in one map
export type Declarations = ReadonlyMap<string, CollectionDeclaration<any>>;

/** Changes in one slice: a millisecond of work or so. */
const PIECE = 25;

/**
 * @throws {UniqueConflict} Two changes take the same unique value.
 * @throws {VersionConflict} Two checks of one record differ.
 * @throws {TooLarge}
 */
export function* planCommit(
  declarations: Declarations,
  changes: readonly Change[],
  actor: Actor,
  now: Date,
): Work<CommitPlan> {
  const planner = new Planner(declarations);
  for (let n = 0; n < changes.length; n++) {
    if (n % PIECE === PIECE - 1) yield;
    planner.add(changes[n]!);
  }
  yield;
  return yield* planner.finish(actor, now);
}

class Planner {
  readonly #guards = new Map<string, Guard>();
  readonly #writes: Mutation[] = [];
  readonly #records: PlannedWrite[] = [];
  readonly #written = new Set<string>();
  readonly #growth = new Map<string, number>();
  readonly #released = new Map<string, Key>();
  readonly #taken = new Map<string, { key: Key; id: string; collection: string; unique: string }>();
  readonly #unordered = new Set<string>();
  readonly #journal: JournalChange[] = [];

  constructor(readonly declarations: Declarations) {}

  add(change: Change): void {
    const { kind, collection } = change;
    if (kind === "check") {
      const key = recordKey(collection, change.id);
      return this.#guard(collection, change.id, change.rev, key, keyText(key));
    }
    const before = kind === "insert" ? null : change.before;
    const after = kind === "remove" ? null : change.after;
    const { id } = after ?? before!;
    const key = recordKey(collection, id), text = keyText(key);
    if (this.#written.has(text)) {
      throw new Error(`Cannot commit: ${collection} ${id} is written twice`);
    }
    this.#written.add(text);
    this.#guard(collection, id, before?.rev ?? null, key, text);
    this.#moveUniques(collection, before, after);
    const encoded = after && encodeRecord(collection, after);
    this.#write(collection, id, key, encoded, before && splitOf(collection, before));
    if (after && isUnordered(after)) this.#unordered.add(collection);
    const grown = this.#growth.get(collection) ?? 0;
    this.#growth.set(collection, grown + Number(!before) - Number(!after));
    const { value = null, bytes = 0 } = encoded ?? {};
    const json = typeof value === "string" ? value : null;
    this.#records.push({ collection, id, after, isNew: !before, text: json, bytes });
    this.#journal.push(journalled(this.#declarationOf(collection), change));
  }

  *finish(actor: Actor, now: Date): Work<CommitPlan> {
    yield* this.#writeUniques();
    for (const collection of this.#unordered) {
      this.#writes.push({ kind: "set", key: unorderedKey(collection), value: true });
    }
    let entry: string | null = null;
    if (this.#journal.length > 0) {
      const journal = yield* journalEntry(actor, now, this.#journal);
      this.#writes.push(...journal.parts);
      entry = journal.entry;
    }
    return {
      guards: this.#guards,
      writes: this.#writes,
      written: this.#written,
      growth: this.#growth,
      entry,
      records: this.#records,
    };
  }

  #guard(collection: string, id: string, rev: string | null, key: Key, text: string): void {
    const guard = new Guard(key, rev, collection, id, "record");
    const known = this.#guards.get(text);
    if (known && known.versionstamp !== rev) throw guard.conflict();
    this.#guards.set(text, guard);
  }

  #write(
    collection: string,
    id: string,
    key: Key,
    after: EncodedRecord | null,
    before: SplitHeader | null,
  ): void {
    const kept = isSplit(after?.value) ? after.value.tag : null;
    if (before && before.tag !== kept) {
      for (let n = 0; n < before.parts; n++) {
        this.#writes.push({ kind: "delete", key: partKey(collection, id, before.tag, n) });
      }
    }
    if (!after) {
      this.#writes.push({ kind: "delete", key });
      return;
    }
    this.#writes.push({ kind: "set", key, value: after.value });
    after.parts.forEach((value, n) =>
      this.#writes.push({ kind: "set", key: partKey(collection, id, kept!, n), value })
    );
  }

  #declarationOf(collection: string) {
    const declaration = this.declarations.get(collection);
    if (!declaration) throw new Error(`Cannot commit: there is no collection ${collection}`);
    return declaration;
  }

  #moveUniques(collection: string, before: Entity | null, after: Entity | null): void {
    for (const [unique, fields] of Object.entries(this.#declarationOf(collection).unique)) {
      if (before && after && hasSame(fields, before, after)) continue;
      const old = before && keyOf(collection, unique, fields, before);
      const fresh = after && keyOf(collection, unique, fields, after);
      const oldText = old && keyText(old), freshText = fresh && keyText(fresh);
      if (oldText === freshText) continue;
      if (old) this.#released.set(oldText!, old);
      if (!fresh) continue;
      if (this.#taken.has(freshText!)) throw new UniqueConflict(collection, unique);
      this.#taken.set(freshText!, { key: fresh, id: after.id, collection, unique });
    }
  }

  /** A value that one record gives up and another takes needs no check: the first record's version guards it. */
  *#writeUniques(): Work<void> {
    let n = 0;
    for (const [text, key] of this.#released) {
      if (++n % PIECE === 0) yield;
      this.#written.add(text);
      if (!this.#taken.has(text)) this.#writes.push({ kind: "delete", key });
    }
    for (const [text, { key, id, collection, unique }] of this.#taken) {
      if (++n % PIECE === 0) yield;
      this.#writes.push({ kind: "set", key, value: id });
      this.#written.add(text);
      if (this.#released.has(text)) continue;
      this.#guards.set(text, new Guard(key, null, collection, unique, "unique"));
    }
  }
}

/** The key of a unique value; null when one of its fields is absent: such a record takes no unique value. */
export function keyOf(
  collection: string,
  unique: string,
  fields: readonly string[],
  record: Entity,
): Key | null {
  const values = fields.map((field) =>
    (record as unknown as Record<string, string>)[field] ?? null
  );
  return values.includes(null) ? null : uniqueKey(collection, unique, values);
}

function hasSame(fields: readonly string[], before: Entity, after: Entity): boolean {
  const valueIn = (record: Entity, field: string) =>
    (record as unknown as Record<string, unknown>)[field];
  return fields.every((field) => valueIn(before, field) === valueIn(after, field));
}

/** Whether the record may be created later than its id says: then key order may not be creation order. */
function isUnordered(record: Entity): boolean {
  const time = timeOfId(record.id);
  return time === null || !(Date.parse(record.createdAt) <= time) || record.createdAt.length !== 24;
}
