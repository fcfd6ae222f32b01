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
  ReferenceConflict,
  type Store,
  type Transaction,
  VersionConflict,
} from "./port.ts";
import { keyOf, PlanReader, PlanReads } from "./plan_reads.ts";
import type { Awaitable } from "../core/awaitable.ts";
import { delay } from "../core/delay.ts";
import { atOnce, slices, type Work } from "../core/slices.ts";

type Engine = Pick<Store, "from" | "commit">;

type Attempt<R> = [
  actor: Actor,
  plan: (tx: Transaction) => Awaitable<R>,
  committed?: (position: string) => void,
];

/** As many as a writer needs where other processes write the same record all the time, on a busy machine. */
const MAX_TRIES = 8;
/** From this try on a plan runs alone in this process: else it might never get its turn at a busy record. */
const ALONE_FROM = 3;
/** The changes of a plan with more writes are made in slices. */
const MANY = 500;
/** Writes in one slice: less than a millisecond of work. */
const PIECE = 50;
/** Milliseconds to wait before a retry, at most; doubles with each try, up to `MAX_DELAY`. */
const BASE_DELAY = 4;
const MAX_DELAY = 128;
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
      throw tx.reads.wereMisled(error) ? new VersionConflict(error.collection, error.key) : error;
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
          if (!mayPass(error) || tries === MAX_TRIES) throw error;
          await delay(jitter(Math.min(BASE_DELAY * 2 ** tries, MAX_DELAY)));
        }
      }
    } finally {
      alone = null;
      resolve();
    }
  }

  /** Tries again, in turn, what has failed for a conflict. @throws The error, where it is none. */
  function tryAgain<R>(error: unknown, asked: Attempt<R>): Promise<R> {
    if (!mayPass(error)) throw error;
    const turn = lastRetry.then(() => retry(...asked));
    lastRetry = turn.catch(() => {});
    return turn;
  }

  return async function transact(...asked) {
    while (alone !== null) await alone;
    // Not awaited here: what this function holds need not wait too.
    return attempt(...asked).catch((error) => tryAgain(error, asked));
  };
}

/**
 * Whether a plan that is made anew may get through: it was made on what another commit has changed, be it a record that
 * it read, one that refers to what it removes, or one that it refers to.
 */
function mayPass(error: unknown): boolean {
  return error instanceof VersionConflict || error instanceof ReferenceConflict;
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
  readonly reads = new PlanReads();
  readonly #writes = new Map<string, Planned>();

  constructor(readonly engine: Engine, readonly actor: Actor, now: Date) {
    this.now = now.toISOString();
    this.#ms = now.getTime();
  }

  from<T extends Entity>(collection: CollectionDeclaration<T>): Reader<T> {
    return new PlanReader(collection, this.engine.from(collection), this.reads);
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
    for (let n = 0; n < writes.length; n++) {
      if (n % PIECE === PIECE - 1) yield;
      this.#audit(writes[n]!);
    }
    this.#writes.forEach((write) => changes.push(toChange(write)));
    yield;
    this.reads.addChecks(changes, this.#writes);
    return changes;
  }

  /** How many records it writes. */
  get size(): number {
    return this.#writes.size;
  }

  /** The earlier write of the same record in this plan, if any. */
  #plannedFor(collection: { readonly name: string }, before: Entity): Planned | undefined {
    const planned = this.#writes.get(keyOf(collection.name, before.id));
    if (planned && !planned.after) {
      throw new Error(`Cannot plan: ${collection.name} ${before.id} is already removed`);
    }
    if (!planned) this.reads.add(collection.name, before.id, before.rev);
    return planned;
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
  const old = before as Entity & Readonly<Record<string, unknown>>;
  const fresh = after as Entity & Readonly<Record<string, unknown>>;
  const differs = (field: string) =>
    old[field] !== fresh[field] && !STAMPED_FIELDS.has(field) &&
    JSON.stringify(old[field]) !== JSON.stringify(fresh[field]);
  const changed = Object.keys(fresh).filter(differs);
  for (const field of Object.keys(old)) {
    if (!(field in fresh) && differs(field)) changed.push(field);
  }
  return changed.sort();
}

/** Without the fields that are undefined: absent fields are not stored. */
function present<T extends Entity>(record: T): T & Record<string, unknown> {
  const given = record as T & Readonly<Record<string, unknown>>;
  const fields: Record<string, unknown> = {};
  for (const field in given) if (given[field] !== undefined) fields[field] = given[field];
  return fields as T & Record<string, unknown>;
}

/** A random time from 0 to `max`. */
function jitter(max: number): number {
  return crypto.getRandomValues(new Uint32Array(1))[0]! / 2 ** 32 * max;
}
