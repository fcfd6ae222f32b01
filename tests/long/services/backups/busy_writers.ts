// Writers that change a store in every way while it is copied, and what it then has to be at each position.
import { newId } from "../../../../core/ids.ts";
import { documents } from "../../../../models/documents.ts";
import { type Content, contents } from "../../../../models/files.ts";
import { type Folder, folders } from "../../../../models/folders.ts";
import type { Change, CollectionDeclaration, Entity, Store } from "../../../../storage/port.ts";
import { server } from "../../../storage/people.ts";
import { everything } from "../../../services/backups/stores.ts";

const AT = "2026-01-01T00:00:00.000Z";

function stamped<F extends object>(fields: F, id = newId(Date.now())) {
  return { createdAt: AT, updatedAt: AT, rev: "", id, ...fields };
}

/** What was committed, and where in the journal. */
export class Ledger {
  readonly #written: { position: string; changes: readonly Change[] }[] = [];

  constructor(readonly before: Readonly<Record<string, unknown[]>>) {}

  static async of(store: Store): Promise<Ledger> {
    return new Ledger(await everything(store));
  }

  async commit(store: Store, changes: readonly Change[]): Promise<void> {
    const position = await store.commit(changes, { actor: server });
    this.#written.push({ position, changes });
  }

  /** How many commits are in the journal up to a position, and after it. */
  around(position: string): [number, number] {
    const upTo = this.#written.filter((one) => one.position <= position).length;
    return [upTo, this.#written.length - upTo];
  }

  /** Everything that the store holds at a position. */
  at(position: string): Record<string, unknown[]> {
    const stores = new Map(
      Object.entries(this.before).map(([collection, records]) => [
        collection,
        new Map((records as Entity[]).map((record) => [record.id, record])),
      ]),
    );
    const written = this.#written.filter((one) => one.position <= position)
      .sort((a, b) => a.position < b.position ? -1 : 1);
    for (const change of written.flatMap(({ changes }) => changes)) {
      const records = stores.get(change.collection)!;
      if (change.kind === "remove") records.delete(change.before.id);
      else if (change.kind !== "check") records.set(change.after.id, { ...change.after, rev: "" });
    }
    return Object.fromEntries(
      Array.from(stores, ([collection, records]) => [
        collection,
        [...records.values()].sort((a, b) => a.id < b.id ? -1 : 1),
      ]),
    );
  }
}

/** One process that writes: it changes what it has made itself. */
export class BusyWriter {
  readonly #folders: string[] = [];
  readonly #contents: string[] = [];
  readonly #document = newId(Date.now());
  #steps = 0;

  constructor(readonly store: Store, readonly ledger: Ledger, readonly ownerId: string) {}

  async step(): Promise<void> {
    const n = this.#steps++;
    const kinds = [
      () => this.#addFolders(1),
      () => this.#addContent(n),
      () => this.#swap(),
      () => this.#removeFolder(),
      () => this.#writeDocument(n),
      () => n % 3 === 0 ? this.#addFolders(40) : this.#addFolders(2),
      () => this.#removeContent(),
    ];
    await kinds[n % kinds.length]!();
  }

  /** Those that do not fit one operation of KV are a large commit. */
  async #addFolders(count: number): Promise<void> {
    const added = Array.from({ length: count }, () => {
      const id = newId(Date.now());
      return stamped({ name: id, ownerId: this.ownerId, slot: id }, id);
    });
    await this.ledger.commit(
      this.store,
      added.map((after) => ({ kind: "insert", collection: folders.name, after })),
    );
    this.#folders.push(...added.map(({ id }) => id));
  }

  /** Two folders take each other's unique value. */
  async #swap(): Promise<void> {
    const [a, b] = await this.#own<Folder>(folders, this.#folders.slice(-2));
    if (!a || !b) return;
    const swapped: [Folder, Folder][] = [[a, { ...a, slot: b.slot }], [b, { ...b, slot: a.slot }]];
    await this.ledger.commit(
      this.store,
      swapped.map(([before, after]) => ({
        kind: "update",
        collection: folders.name,
        before,
        after,
      })),
    );
  }

  async #removeFolder(): Promise<void> {
    const [before] = await this.#own<Folder>(folders, this.#folders.splice(0, 1));
    if (!before) return;
    await this.ledger.commit(this.store, [{ kind: "remove", collection: folders.name, before }]);
  }

  /** So long that KV has it in parts; its length changes. */
  async #writeDocument(n: number): Promise<void> {
    const [before] = await this.#own(documents, [this.#document]);
    const content = `${n} `.repeat(20_000 + n * 500);
    const fields = { title: "Long", content, type: "document", size: content.length };
    const after = stamped({ ...fields, ownerId: this.ownerId }, this.#document);
    await this.ledger.commit(this.store, [
      before
        ? { kind: "update", collection: documents.name, before, after }
        : { kind: "insert", collection: documents.name, after },
    ]);
  }

  async #addContent(n: number): Promise<void> {
    const bytes = crypto.getRandomValues(new Uint8Array(60_000));
    bytes[0] = n;
    const { id: blobId, sha256, size } = await this.store.blobs.put(new Blob([bytes]).stream(), {
      maxBytes: 1e6,
    });
    const after = stamped({ blobId, size, references: 1 }, sha256);
    await this.ledger.commit(this.store, [{ kind: "insert", collection: contents.name, after }]);
    this.#contents.push(sha256);
  }

  /** The bytes go after what describes them. */
  async #removeContent(): Promise<void> {
    const [before] = await this.#own<Content>(contents, this.#contents.splice(0, 1));
    if (!before) return;
    await this.ledger.commit(this.store, [{ kind: "remove", collection: contents.name, before }]);
    await this.store.blobs.remove(before.blobId);
  }

  async #own<T extends Entity>(
    collection: CollectionDeclaration<T>,
    ids: readonly string[],
  ): Promise<readonly (T | null)[]> {
    return await this.store.from(collection).getMany(ids);
  }
}
