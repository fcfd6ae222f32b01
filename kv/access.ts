// Reads from KV that never see half of a large commit, and whole records from what is stored in parts.
import type { Entity } from "../store.ts";
import type { Client, Entry } from "./client.ts";
import { type Decoded, decodeRecord, isSplit } from "./codec.ts";
import type { Gate } from "./gate.ts";
import { type Key, LEASE_KEY, partKey, recordKey } from "./keys.ts";
import { isDecided, type LargeCommits } from "./large_commit.ts";

/** Keys in a snapshot, beside the lease. */
const SNAPSHOT_KEYS = 9;
/** How many entries a scan reads at a time. */
export const SCAN_BATCH = 500;

export class Access {
  /** @param shared Other processes may run large commits: reads look at the lease. */
  constructor(
    readonly client: Client,
    readonly gate: Gate,
    readonly large: LargeCommits,
    readonly shared: boolean,
  ) {}

  /** In the order of the keys. */
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
    const records = await Promise.all(
      entries.map((entry) =>
        isSplit(entry.value)
          ? this.#decode<T>(collection, entry)
          : decodeRecord<T>(entry.value, [], entry.versionstamp!)
      ),
    );
    return records.filter((record) => record !== null);
  }

  async #readShared(keys: readonly Key[]): Promise<readonly Entry[]> {
    for (;;) {
      const [lease, ...entries] = await this.client.getMany([LEASE_KEY, ...keys]);
      if (!isDecided(lease!.value)) return entries;
      await this.large.settled();
    }
  }

  /** A part that is missing means that the record has changed since: it is read again. */
  async #decode<T extends Entity>(collection: string, entry: Entry): Promise<Decoded<T> | null> {
    const { value, versionstamp } = entry;
    if (versionstamp === null) return null;
    if (!isSplit(value)) return decodeRecord<T>(value, [], versionstamp);
    const id = String(entry.key[1]);
    const keys = Array.from(
      { length: value.parts },
      (_, n) => partKey(collection, id, value.tag, n),
    );
    const parts = (await this.read(keys)).map((part) => part.value as Uint8Array | null);
    if (!parts.includes(null)) return decodeRecord<T>(value, parts as Uint8Array[], versionstamp);
    return await this.record<T>(collection, id);
  }
}
