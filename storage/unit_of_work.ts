// Several plans in one commit: each sees what those before it have planned, and none sees its own writes, as ever.
import { newId } from "../core/ids.ts";
import type { Awaitable } from "../core/awaitable.ts";
import { deepFreeze } from "./records.ts";
import { OverlayReader, type Planned, type PlannedRecords } from "./overlay.ts";
import {
  type CollectionDeclaration,
  type Entity,
  type NewRecord,
  type Reader,
  type Scalar,
  type Transaction,
  UniqueConflict,
} from "./port.ts";

// deno-lint-ignore no-explicit-any -- declarations of different records in one map
type AnyDeclaration = CollectionDeclaration<any>;

/** What a step wrote of one record; `after` is the object that the commit will write, or null. */
interface Written {
  readonly declaration: AnyDeclaration;
  readonly id: string;
  /** What it read; null for a new one. */
  readonly before: Entity | null;
  readonly after: Entity | null;
}

/** Ids that a step has given to new records, by collection, in order: a step that runs again gives them again. */
export type GivenIds = Map<string, string[]>;

/** One run of the steps, within a plan of the store. */
export class UnitOfWork {
  readonly #planned = new Map<string, PlannedCollection>();
  /** What each step wrote. */
  readonly #steps: (readonly Written[])[] = [];

  constructor(readonly tx: Transaction) {}

  /** How many records are to be written. */
  get size(): number {
    let size = 0;
    for (const { byId } of this.#planned.values()) size += byId.size;
    return size;
  }

  /**
   * Runs the next plan. The records that it gets as written are those that the commit will write: what later steps
   * change of them shows in them too.
   *
   * @param ids Of the records that it makes, kept from run to run.
   * @throws {UniqueConflict} An earlier step has planned the same unique value.
   */
  async step<R>(plan: (tx: Transaction) => Awaitable<R>, ids: GivenIds): Promise<R> {
    const step = new Step(this.tx, this.#planned, ids);
    const result = await plan(step);
    const written = [...step.written.values()];
    this.#steps.push(written);
    // A unique value that one record gives up another may take.
    for (const one of written) this.#collection(one.declaration).release(one);
    for (const one of written) this.#collection(one.declaration).take(one);
    return result;
  }

  /** The first step, from 0, that takes a unique value which another stored record has; -1 when there is none. */
  async culpritOf({ collection, key }: UniqueConflict, source: Pick<Transaction, "from">) {
    for (const [n, written] of this.#steps.entries()) {
      for (const { declaration, after } of written) {
        if (declaration.name !== collection || !after) continue;
        const values = valuesOf(declaration, key, after);
        const found = values && await source.from(declaration).findBy(key, ...values);
        if (found && found.id !== after.id) return n;
      }
    }
    return -1;
  }

  #collection(declaration: AnyDeclaration): PlannedCollection {
    let known = this.#planned.get(declaration.name);
    if (!known) this.#planned.set(declaration.name, known = new PlannedCollection(declaration));
    return known;
  }
}

/** What finished steps have planned of one collection. */
class PlannedCollection implements PlannedRecords {
  readonly byId = new Map<string, Planned>();
  readonly #idByUnique = new Map<string, string>();

  constructor(readonly declaration: AnyDeclaration) {}

  idOf(unique: string, values: readonly Scalar[]): string | undefined {
    return this.#idByUnique.get(uniqueText(unique, values));
  }

  /** Gives up the unique values that the record had. */
  release({ id }: Written): void {
    const shown = this.byId.get(id)?.shown;
    if (shown) this.#eachUnique(shown, (text) => this.#idByUnique.delete(text));
  }

  /** Adds what a step wrote: a copy of it, since later steps change the record in place. */
  take({ id, before, after }: Written): void {
    if (after) {
      this.#eachUnique(after, (text, unique) => {
        if (this.#idByUnique.has(text)) throw new UniqueConflict(this.declaration.name, unique);
        this.#idByUnique.set(text, id);
      });
    }
    const known = this.byId.get(id);
    const stored = known ? known.stored : before;
    if (stored === null && after === null) this.byId.delete(id);
    else this.byId.set(id, { stored, shown: after && deepFreeze(structuredClone(after)) });
  }

  #eachUnique(record: Entity, visit: (text: string, unique: string) => void): void {
    for (const unique of Object.keys(this.declaration.unique)) {
      const values = valuesOf(this.declaration, unique, record);
      if (values) visit(uniqueText(unique, values), unique);
    }
  }
}

/** A plan in progress, over what earlier steps have planned. */
class Step implements Transaction {
  readonly written = new Map<string, Written>();
  readonly #made = new Map<string, number>();

  constructor(
    readonly tx: Transaction,
    readonly planned: ReadonlyMap<string, PlannedCollection>,
    readonly ids: GivenIds,
  ) {}

  get now(): string {
    return this.tx.now;
  }

  from<T extends Entity>(collection: CollectionDeclaration<T>): Reader<T> {
    const inner = this.tx.from(collection);
    const planned = this.planned.get(collection.name);
    if (!planned || planned.byId.size === 0) return inner;
    return new OverlayReader(collection, inner, planned as unknown as PlannedRecords<T>);
  }

  insert<T extends Entity>(collection: CollectionDeclaration<T>, record: NewRecord<T>): T {
    const id = record.id ?? this.#nextId(collection.name);
    const after = this.tx.insert(collection, { ...record, id });
    this.#write(collection, id, null, after);
    return after;
  }

  update<T extends Entity>(
    collection: CollectionDeclaration<T>,
    before: T,
    patch: Partial<Omit<T, keyof Entity>>,
  ): T {
    const after = this.tx.update(collection, before, patch);
    this.#write(collection, after.id, before, after);
    return after;
  }

  remove<T extends Entity>(collection: CollectionDeclaration<T>, before: T): void {
    this.tx.remove(collection, before);
    this.#write(collection, before.id, before, null);
  }

  #write(
    declaration: AnyDeclaration,
    id: string,
    before: Entity | null,
    after: Entity | null,
  ): void {
    const key = `${declaration.name}/${id}`;
    const earlier = this.written.get(key);
    this.written.set(key, { declaration, id, before: earlier ? earlier.before : before, after });
  }

  #nextId(collection: string): string {
    const n = this.#made.get(collection) ?? 0;
    this.#made.set(collection, n + 1);
    let given = this.ids.get(collection);
    if (!given) this.ids.set(collection, given = []);
    return given[n] ??= newId(Date.parse(this.now));
  }
}

/** The values of a unique key; null where one is absent: such a record takes no unique value. */
function valuesOf(
  { unique }: AnyDeclaration,
  name: string,
  record: Entity,
): readonly Scalar[] | null {
  const values = (unique[name] as readonly string[]).map((field) =>
    (record as unknown as Record<string, Scalar | undefined>)[field] ?? null
  );
  return values.includes(null) ? null : values;
}

function uniqueText(unique: string, values: readonly Scalar[]): string {
  return JSON.stringify([unique, ...values]);
}
