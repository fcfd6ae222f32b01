// Plans and retries: what `transact` of every engine is made of. Knows the port and the audit log, and no engine.
import { newId } from "../core/ids.ts";
import { auditLog } from "../models/audit.ts";
import { auditEntry, changesOf } from "./audit.ts";
import {
  type Actor,
  type Change,
  type CollectionDeclaration,
  type Entity,
  type NewRecord,
  type Reader,
  type Store,
  type Transaction,
  UniqueConflict,
  VersionConflict,
} from "./port.ts";
import type { Awaitable } from "../core/awaitable.ts";
import { delay } from "../core/delay.ts";
import { atOnce, slices, type Work } from "../core/slices.ts";

type Engine = Pick<Store, "from" | "commit">;

type Attempt<R> = [
  actor: Actor,
  plan: (tx: Transaction) => Awaitable<R>,
  committed?: (position: string) => void,
];

const MAX_TRIES = 5;
/** From this try on a plan runs alone in this process: else it might never get its turn at a busy record. */
const ALONE_FROM = 3;
/** The changes of a plan with more writes are made in slices. */
const MANY = 500;
/** Writes in one slice: less than a millisecond of work. */
const PIECE = 50;
/** Milliseconds to wait before a retry, at most; doubles with each try. */
const BASE_DELAY = 4;
/** A change of these fields alone is not audited. */
const UNAUDITED_FIELDS: ReadonlySet<string> = new Set([
  "lastLoginAt",
  "totpStep",
  "signCount",
  "lastUsedAt",
  "lastUsedIp",
  "failingSince",
]);
const STAMPED_FIELDS: ReadonlySet<string> = new Set(["rev", "updatedAt"]);

/**
 * The `transact` of an engine. The first try of each plan runs at once; after a conflict the plans of this process
 * are tried again one at a time, and from the third try on alone, so that many writers to one record all get their turn.
 *
 * @param clock Gives each plan its `now`.
 */
export function createTransact(engine: Engine, clock: () => Date): Store["transact"] {
  let lastRetry: Promise<unknown> = Promise.resolve();
  /** Settles when the plan that has to run alone is through; null while none has to. */
  let alone: Promise<void> | null = null;

  async function attempt<R>(...[actor, plan, committed]: Attempt<R>): Promise<R> {
    const tx = new Plan(engine, actor, clock());
    const result = await plan(tx);
    const changing = tx.changes();
    const changes = tx.size > MANY ? await slices.run(changing) : atOnce(changing);
    if (changes.length === 0) return result;
    try {
      const position = await engine.commit(changes, { actor });
      committed?.(position);
    } catch (error) {
      throw tx.wasMisled(error) ? new VersionConflict(error.collection, error.key) : error;
    }
    return result;
  }

  async function retry<R>(...asked: Attempt<R>): Promise<R> {
    const { promise: through, resolve } = Promise.withResolvers<void>();
    try {
      for (let tries = 2;; tries++) {
        if (tries === ALONE_FROM) alone = through;
        try {
          return await attempt(...asked);
        } catch (error) {
          if (!(error instanceof VersionConflict) || tries === MAX_TRIES) throw error;
          await delay(jitter(BASE_DELAY * 2 ** tries));
        }
      }
    } finally {
      alone = null;
      resolve();
    }
  }

  return async function transact(...asked) {
    while (alone !== null) await alone;
    try {
      return await attempt(...asked);
    } catch (error) {
      if (!(error instanceof VersionConflict)) throw error;
    }
    const turn = lastRetry.then(() => retry(...asked));
    lastRetry = turn.catch(() => {});
    return await turn;
  };
}

interface Planned {
  // deno-lint-ignore no-explicit-any -- declarations of different records in one map
  readonly declaration: CollectionDeclaration<any>;
  /** What is stored now; null for an insert. */
  readonly before: Entity | null;
  /** What will be stored; null for a removal. */
  after: Record<string, unknown> & Entity | null;
}

class Plan implements Transaction {
  readonly now: string;
  readonly #ms: number;
  readonly #reads = new Map<string, { collection: string; id: string; rev: string | null }>();
  /** The unique keys that the plan looked up a value of and found none: `collection/key`. */
  readonly #missed = new Set<string>();
  readonly #writes = new Map<string, Planned>();

  constructor(readonly engine: Engine, readonly actor: Actor, now: Date) {
    this.now = now.toISOString();
    this.#ms = now.getTime();
  }

  from<T extends Entity>(collection: CollectionDeclaration<T>): Reader<T> {
    const reader = this.engine.from(collection);
    const saw = (id: string, record: T | null): T | null => {
      this.#track(collection.name, id, record?.rev ?? null);
      return record;
    };
    return {
      get: (id) => chain(reader.get(id), (record) => saw(id, record)),
      getMany: (ids) =>
        chain(reader.getMany(ids), (records) => {
          ids.forEach((id, index) => saw(id, records[index] ?? null));
          return records;
        }),
      // A miss needs no check: a record that takes the value meanwhile makes the commit fail by its unique key.
      findBy: (unique, ...values) =>
        chain(reader.findBy(unique, ...values), (record) => {
          if (record !== null) return saw(record.id, record);
          this.#missed.add(keyOf(collection.name, unique));
          return null;
        }),
      list: (query) => reader.list(query),
      listRows: (query, keys) => reader.listRows(query, keys),
      rowsOf: (ids) => reader.rowsOf(ids),
      count: (where) => reader.count(where),
      aggregate: (query) => reader.aggregate(query),
      generation: () => reader.generation(),
      scan: () => reader.scan(),
    };
  }

  insert<T extends Entity>(collection: CollectionDeclaration<T>, record: NewRecord<T>): T {
    const id = record.id ?? newId(this.#ms);
    const key = keyOf(collection.name, id);
    const planned = this.#writes.get(key);
    if (planned?.after) {
      throw new Error(`Cannot plan: ${collection.name} ${id} is written twice as new`);
    }
    const after = present({
      ...record,
      id,
      createdAt: record.createdAt ?? this.now,
      updatedAt: this.now,
      rev: "",
    });
    this.#writes.set(key, { declaration: collection, before: planned?.before ?? null, after });
    return after as unknown as T;
  }

  update<T extends Entity>(
    collection: CollectionDeclaration<T>,
    before: T,
    patch: Partial<Omit<T, keyof Entity>>,
  ): T {
    const planned = this.#plannedFor(collection, before);
    if (planned?.after) {
      Object.assign(planned.after, patch);
      for (const [field, value] of Object.entries(patch)) {
        if (value === undefined) delete planned.after[field];
      }
      return planned.after as unknown as T;
    }
    const after = present({ ...before, ...patch, updatedAt: this.now, rev: "" });
    this.#writes.set(keyOf(collection.name, before.id), {
      declaration: collection,
      before,
      after,
    });
    return after as unknown as T;
  }

  remove<T extends Entity>(collection: CollectionDeclaration<T>, before: T): void {
    const planned = this.#plannedFor(collection, before);
    const key = keyOf(collection.name, before.id);
    if (!planned) this.#writes.set(key, { declaration: collection, before, after: null });
    else if (planned.before) planned.after = null;
    else this.#writes.delete(key);
  }

  /** What to commit: the writes, an audit record for each audited one, and a check of each other record read. */
  *changes(): Work<Change[]> {
    const writes = [...this.#writes.values()];
    const changes: Change[] = [];
    if (writes.length === 0) return changes;
    for (const [n, write] of writes.entries()) {
      if (n % PIECE === PIECE - 1) yield;
      this.#audit(write);
    }
    for (const write of this.#writes.values()) changes.push(toChange(write));
    yield;
    for (const [key, read] of this.#reads) {
      if (!this.#writes.has(key)) changes.push({ kind: "check", ...read });
    }
    return changes;
  }

  /** How many records it writes. */
  get size(): number {
    return this.#writes.size;
  }

  /** Whether the value now taken is one that the plan looked up and did not find: a second run would find it. */
  wasMisled(error: unknown): error is UniqueConflict {
    return error instanceof UniqueConflict && this.#missed.has(keyOf(error.collection, error.key));
  }

  /** The earlier write of the same record in this plan, if any. */
  #plannedFor(collection: { readonly name: string }, before: Entity): Planned | undefined {
    const planned = this.#writes.get(keyOf(collection.name, before.id));
    if (planned && !planned.after) {
      throw new Error(`Cannot plan: ${collection.name} ${before.id} is already removed`);
    }
    if (!planned) this.#track(collection.name, before.id, before.rev);
    return planned;
  }

  #track(collection: string, id: string, rev: string | null): void {
    const key = keyOf(collection, id);
    const read = this.#reads.get(key);
    if (!read) this.#reads.set(key, { collection, id, rev });
    else if (read.rev !== rev) throw new VersionConflict(collection, id);
  }

  #audit({ declaration, before, after }: Planned): void {
    const record = after ?? before;
    if (!declaration.audit || !record) return;
    const fields = before && after ? changedFields(before, after) : [];
    if (before && after && fields.every((field) => UNAUDITED_FIELDS.has(field))) return;
    const act = {
      action: !before ? "insert" : after ? "update" : "remove",
      target: declaration.name,
      targetId: record.id,
      targetName: declaration.audit(record),
      fields,
      changes: before && after ? changesOf(declaration, fields, before, after) : undefined,
    };
    this.insert(auditLog, auditEntry(this.actor, act));
  }
}

function toChange({ declaration, before, after }: Planned): Change {
  const collection = declaration.name;
  if (before && after) return { kind: "update", collection, before, after };
  if (after) return { kind: "insert", collection, after };
  return { kind: "remove", collection, before: before! };
}

function changedFields(before: Entity, after: Entity): string[] {
  const old: Record<string, unknown> = { ...before };
  const fresh: Record<string, unknown> = { ...after };
  return [...new Set([...Object.keys(old), ...Object.keys(fresh)])].filter((field) =>
    !STAMPED_FIELDS.has(field) && old[field] !== fresh[field] &&
    JSON.stringify(old[field]) !== JSON.stringify(fresh[field])
  ).sort();
}

/** Without the fields that are undefined: absent fields are not stored. */
function present<T extends Entity>(record: T): T & Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(record)) {
    if (value !== undefined) fields[field] = value;
  }
  return fields as T & Record<string, unknown>;
}

function keyOf(collection: string, id: string): string {
  return `${collection}/${id}`;
}

function chain<A, B>(value: Awaitable<A>, next: (value: A) => B): Awaitable<B> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** A random time from 0 to `max`. */
function jitter(max: number): number {
  return crypto.getRandomValues(new Uint32Array(1))[0]! / 2 ** 32 * max;
}
