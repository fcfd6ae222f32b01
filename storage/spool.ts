// Records on their way from one store to another, in a file: as they are read, with none of the rules of a store.
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { makePrivateFile } from "../core/private_files.ts";
import type { RecordsSource } from "./copying.ts";
import type { CollectionDeclaration, Entity, Reader } from "./port.ts";

/** Records read at a time. */
const BATCH = 100;

export class Spool implements RecordsSource, Disposable {
  readonly #database: DatabaseSync;
  readonly #put: StatementSync;
  readonly #remove: StatementSync;
  readonly #get: StatementSync;
  readonly #scan: StatementSync;

  /** @param path A file that does not exist, and that the caller removes. */
  constructor(path: string) {
    makePrivateFile(path);
    this.#database = new DatabaseSync(path);
    // Nobody reads it after a crash.
    this.#database.exec(`
      pragma journal_mode = off;
      pragma synchronous = off;
      create table record (
        collection text not null, id text not null, json text not null, primary key (collection, id)
      )`);
    const prepare = (sql: string) => this.#database.prepare(sql);
    this.#put = prepare("insert or replace into record values (?, ?, ?)");
    this.#remove = prepare("delete from record where collection = ? and id = ?");
    this.#get = prepare("select json from record where collection = ? and id = ?");
    this.#scan = prepare(
      `select json from record where collection = ? and id > ? order by id limit ${BATCH}`,
    );
  }

  /** @param records By their ids; null: there is none. */
  set(collection: string, records: Iterable<readonly [id: string, record: Entity | null]>): void {
    this.#database.exec("begin");
    for (const [id, record] of records) {
      if (record) this.#put.run(collection, id, JSON.stringify({ ...record, rev: "" }));
      else this.#remove.run(collection, id);
    }
    this.#database.exec("commit");
  }

  from<T extends Entity>({ name }: CollectionDeclaration<T>): Pick<Reader<T>, "scan" | "get"> {
    return {
      get: (id) => recordOf<T>(this.#get.get(name, id)),
      scan: () => this.#records<T>(name),
    };
  }

  async *#records<T extends Entity>(collection: string): AsyncIterable<T> {
    for (let after = "";;) {
      const rows = this.#scan.all(collection, after);
      for (const row of rows) yield recordOf<T>(row)!;
      if (rows.length < BATCH) return;
      after = recordOf<T>(rows.at(-1))!.id;
    }
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

function recordOf<T>(row: Record<string, unknown> | undefined): T | null {
  return row ? JSON.parse(String(row.json)) : null;
}
