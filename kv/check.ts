// What is wrong with the keys that Deno KV has beside those of records: unique values, parts and bytes without an owner.
import type { CollectionDeclaration, Entity } from "../storage/port.ts";
import type { Access } from "./access.ts";
import type { Client, Entry } from "./client.ts";
import { isSplit } from "./codec.ts";
import { blobKey, keyText, recordKey } from "./keys.ts";
import { keyOf } from "./plan.ts";

/** Keys read at a time. */
const BATCH = 500;

// deno-lint-ignore no-explicit-any -- declarations of different records are handled alike
type AnyDeclaration = CollectionDeclaration<any>;

/** A sentence for each finding. */
export async function* checkKeys(
  client: Client,
  access: Access,
  collections: readonly AnyDeclaration[],
): AsyncIterable<string> {
  const declarations = new Map(collections.map((one) => [one.name, one]));
  for await (const entries of batches(client, ["unique"])) {
    yield* checkUnique(access, declarations, entries);
  }
  for await (const entries of batches(client, ["part"])) yield* checkParts(client, entries);
  for await (const entries of batches(client, ["blob"])) {
    const ids = [...new Set(entries.map(({ key }) => String(key[1])))];
    const found = await client.getMany(ids.map(blobKey));
    for (const [n, id] of ids.entries()) {
      if (found[n]!.versionstamp === null) yield `the bytes ${id} are described by nothing`;
    }
  }
  for (const { collection, id, problem } of access.unreadable.all()) {
    yield `${collection} ${id} cannot be read: ${problem}`;
  }
}

/** A unique value must lead to a record that has it. */
async function* checkUnique(
  access: Access,
  declarations: ReadonlyMap<string, AnyDeclaration>,
  entries: readonly Entry[],
): AsyncIterable<string> {
  const byCollection = Map.groupBy(entries, ({ key }) => String(key[1]));
  for (const [collection, taken] of byCollection) {
    const declaration = declarations.get(collection);
    if (!declaration) continue;
    const records = await access.records<Entity>(
      collection,
      taken.map(({ value }) => String(value)),
    );
    for (const [n, { key, value }] of taken.entries()) {
      const unique = String(key[2]);
      const record = records[n]?.record;
      const own = record && declaration.unique[unique] &&
        keyOf(collection, unique, declaration.unique[unique], record);
      if (own && keyText(own) === keyText(key as never)) continue;
      yield `${collection}: a value of the unique key ${unique} is taken for ${value}, which ${
        record ? "has another" : "does not exist"
      }`;
    }
  }
}

/** A part must be one of those that its record names. */
async function* checkParts(client: Client, entries: readonly Entry[]): AsyncIterable<string> {
  const owners = await client.getMany(
    entries.map(({ key }) => recordKey(String(key[1]), String(key[2]))),
  );
  for (const [n, { key }] of entries.entries()) {
    const header = owners[n]!.value;
    if (isSplit(header) && header.tag === key[3] && Number(key[4]) < header.parts) continue;
    yield `${String(key[1])} ${String(key[2])}: a part of it is left that it does not name`;
  }
}

async function* batches(client: Client, prefix: Deno.KvKey): AsyncIterable<Entry[]> {
  let start: Deno.KvKey | undefined;
  for (;;) {
    const entries = await client.list(start ? { prefix, start } : { prefix }, { limit: BATCH });
    const following = start ? entries.filter(({ key }) => !same(key, start!)) : entries;
    if (following.length > 0) yield following;
    if (entries.length < BATCH) return;
    start = entries.at(-1)!.key;
  }
}

function same(a: Deno.KvKey, b: Deno.KvKey): boolean {
  return keyText(a as never) === keyText(b as never);
}
