// Reads from KV that never see half of a large commit, and whole records from what is stored in parts.
import type { Entity } from "../storage/port.ts";
import type { Client, Entry } from "./client.ts";
import { type Decoded, decodeRecord, isSplit } from "./codec.ts";
import type { Gate } from "./gate.ts";
import { type Key, LEASE_KEY, partKey, recordKey } from "./keys.ts";
import type { Unreadable } from "./unreadable.ts";
import { isDecided, type LargeCommits } from "./large_commit.ts";

/** How many keys are read as one snapshot: KV's limit of ten, less one for the lease. */
const SNAPSHOT_KEYS = 9;
/** How often a record whose parts change meanwhile is read again. */
const MAX_DECODE_TRIES = 20;
/** How many entries a scan reads at a time. */
export const SCAN_BATCH = 500;

export class Access {
  /** @param shared Other processes may run large commits: reads look at the lease. */
  constructor(
    readonly client: Client,
    readonly gate: Gate,
    readonly large: LargeCommits,
    readonly shared: boolean,
    readonly unreadable: Unreadable,
  ) {}

  /** The entries of the keys, in the same order; none of them shows half of a large commit. */
  async read(keys: readonly Key[]): Promise<readonly Entry[]> {
    if (!this.shared) return await this.gate.together(() => this.client.getMany(keys));
    const batches: Promise<readonly Entry[]>[] = [];
    for (let at = 0; at < keys.length; at += SNAPSHOT_KEYS) {
      batches.push(this.#readShared(keys.slice(at, at + SNAPSHOT_KEYS)));
    }
    return (await Promise.all(batches)).flat();
  }

  async record<T extends Entity>(collection: string, id: string): Promise<Decoded<T> | null> {
    return (await this.records<T>(collection, [id]))[0]!;
  }

  async records<T extends Entity>(
    collection: string,
    ids: readonly string[],
  ): Promise<(Decoded<T> | null)[]> {
    const entries = await this.read(ids.map((id) => recordKey(collection, id)));
    return await Promise.all(entries.map((entry) => this.#decode<T>(collection, entry)));
  }

  /** Some of the records in key order, from after an id, or before one when reversed; empty text: from the end. */
  async scan<T extends Entity>(
    collection: string,
    from: string,
    limit: number,
    reverse = false,
  ): Promise<Decoded<T>[]> {
    const prefix: Deno.KvKey = [collection];
    const selector: Deno.KvListSelector = !from
      ? { prefix }
      : reverse
      ? { prefix, end: [collection, from] }
      : { prefix, start: [collection, `${from}\0`] };
    const list = () => this.client.list(selector, { limit, reverse });
    if (this.shared) await this.large.settled();
    const entries = await (this.shared ? list() : this.gate.together(list));
    const decoded = await Promise.all(
      entries.map((entry) =>
        isSplit(entry.value)
          ? this.#decode<T>(collection, entry)
          : this.#whole<T>(collection, entry)
      ),
    );
    const records = decoded.filter((record) => record !== null);
    const missing = entries.length - records.length;
    if (missing === 0 || entries.length < limit) return records;
    // Callers take fewer records than they asked for as the end, so further ones replace those that cannot be read.
    const last = String(entries.at(-1)!.key[1]);
    return [...records, ...await this.scan<T>(collection, last, missing, reverse)];
  }

  async #readShared(keys: readonly Key[]): Promise<readonly Entry[]> {
    for (;;) {
      const [lease, ...entries] = await this.client.getMany([LEASE_KEY, ...keys]);
      if (!isDecided(lease!.value)) return entries;
      await this.large.settled();
    }
  }

  #whole<T extends Entity>(collection: string, { key, value, versionstamp }: Entry) {
    const decode = () => decodeRecord<T>(value, [], versionstamp!);
    return this.unreadable.read(collection, String(key[1]), decode);
  }

  /** A missing part means that the record was changed since, and is read again; if it was not, it is damaged. */
  async #decode<T extends Entity>(
    collection: string,
    entry: Entry,
    tries = 1,
  ): Promise<Decoded<T> | null> {
    const { value, versionstamp } = entry;
    if (versionstamp === null) return null;
    if (!isSplit(value)) return this.#whole<T>(collection, entry);
    const id = String(entry.key[1]);
    const keys = Array.from(
      { length: value.parts },
      (_, n) => partKey(collection, id, value.tag, n),
    );
    const parts = (await this.read(keys)).map((part) => part.value as Uint8Array | null);
    if (!parts.includes(null)) {
      const decode = () => decodeRecord<T>(value, parts as Uint8Array[], versionstamp);
      return this.unreadable.read(collection, id, decode);
    }
    const [current] = await this.read([recordKey(collection, id)]);
    if (current!.versionstamp !== versionstamp && tries < MAX_DECODE_TRIES) {
      return await this.#decode<T>(collection, current!, tries + 1);
    }
    this.unreadable.report(collection, id, "a part of it is missing");
    return null;
  }
}
