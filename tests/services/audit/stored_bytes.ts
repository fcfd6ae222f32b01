// An entry of the audit log as it is stored, to be changed beneath the store: in the file of SQLite, in the row of
// Postgres, in the value of Deno KV. The store is closed meanwhile.
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { auditLog } from "../../../models/audit.ts";

export interface StoredBytes {
  /** How many there are. */
  readonly size: number;
  /** Changes one bit, from 0 to 6, of one of them. */
  flip(at: number, bit: number): Promise<void>;
  /** Puts back what was there. */
  restore(): Promise<void>;
}

/** The path in an address such as `kv:path`. */
export const pathOf = (url: string) => url.slice(url.indexOf(":") + 1);

/** Never NUL, which Postgres does not take. */
function flipped(text: string, at: number, bit: number): string {
  const character = String.fromCharCode((text.charCodeAt(at) ^ (1 << bit)) || 1);
  return text.slice(0, at) + character + text.slice(at + 1);
}

export async function kvBytes(url: string, id: string): Promise<StoredBytes> {
  const key = [auditLog.name, id];
  const edit = async <T>(work: (kv: Deno.Kv) => Promise<T>) => {
    using kv = await Deno.openKv(pathOf(url));
    return await work(kv);
  };
  const put = async (text: string) => void await edit((kv) => kv.set(key, text));
  const text = (await edit((kv) => kv.get<string>(key))).value!;
  return {
    size: text.length,
    flip: (at, bit) => put(flipped(text, at, bit)),
    restore: () => put(text),
  };
}

export async function sqliteBytes(url: string, id: string): Promise<StoredBytes> {
  const path = pathOf(url);
  using database = new DatabaseSync(path, { readOnly: true });
  const row = database.prepare("select * from audit_log where id = ?").get(id)!;
  const file = await Deno.readFile(path);
  const places = placesOf(Object.values(row), file);
  return {
    size: places.length,
    flip(n, bit) {
      const changed = file.slice();
      changed[places[n]!]! ^= 1 << bit;
      return Deno.writeFile(path, changed);
    },
    restore: () => Deno.writeFile(path, file),
  };
}

/** Where in a file the texts of a row are: its values stand there one after the other. */
function placesOf(row: readonly unknown[], file: Uint8Array): number[] {
  const places: number[] = [];
  // Indexes have id and time in another order.
  let at = new TextDecoder("latin1").decode(file).indexOf(`${row[0]}${row[1]}`);
  assert.ok(at > 0, "the row is not in the file");
  for (const value of row) {
    if (typeof value === "string") {
      const { length } = new TextEncoder().encode(value);
      assert.equal(new TextDecoder().decode(file.subarray(at, at + length)), value);
      for (let n = 0; n < length; n++) places.push(at + n);
      at += length;
      // The version of the row: 0 and 1 take no byte, what is larger takes one here.
    } else if (typeof value === "number" && value > 1) at++;
  }
  return places;
}

type Row = Readonly<Record<string, string | readonly string[] | number | null>>;

const TIMES: readonly string[] = ["created_at", "updated_at"];

export async function postgresBytes(url: string, id: string): Promise<StoredBytes> {
  const query = async (...asked: [statement: string, values: unknown[]]) => {
    const client = new pg.Client(url);
    await client.connect();
    try {
      return (await client.query(...asked)).rows;
    } finally {
      await client.end();
    }
  };
  const [found] = await query("select to_jsonb(e) as row from audit_log e where id = $1", [id]);
  const row: Row = found.row;
  const places = Object.entries(row).flatMap(([column, value]) =>
    typeof value === "string" || Array.isArray(value)
      ? Array.from([value].flat().join(""), (_, at) => ({ column, at }))
      : []
  );
  let there = row;
  const put = async (changed: Row) => {
    const columns = Object.keys(row).join(", ");
    await query(
      `update audit_log set (${columns}) =
        (select ${columns} from jsonb_populate_record(null::audit_log, $1)) where id = $2`,
      [JSON.stringify(changed), there.id],
    );
    there = changed;
  };
  return {
    size: places.length,
    flip(n, bit) {
      const { column, at } = places[n]!;
      return put({ ...row, [column]: changedValue(row, column, { at, bit }) });
    },
    restore: () => put(row),
  };
}

function changedValue(row: Row, column: string, { at, bit }: { at: number; bit: number }) {
  const value = row[column]!;
  if (TIMES.includes(column)) return new Date(Date.parse(`${value}`) + 2 ** bit).toISOString();
  if (!Array.isArray(value)) return flipped(`${value}`, at, bit);
  let before = 0;
  return value.map((text) => {
    const own = at - before;
    before += text.length;
    return own >= 0 && own < text.length ? flipped(text, own, bit) : text;
  });
}
