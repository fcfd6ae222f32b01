// Short texts that the store keeps about itself. Its layout is not among them: the migrations tell that.
import { sql } from "kysely";
import type { Note, Notes } from "../storage/port.ts";
import type { Engine } from "./engine.ts";

export class SqlNotes implements Notes {
  constructor(readonly engine: Engine) {}

  async get(name: string): Promise<string | null> {
    const [note] = await this.engine.rows<{ value: string }>(
      sql`select value from notes where name = ${name}`,
    );
    return note?.value ?? null;
  }

  async set(name: string, text: string): Promise<void> {
    await this.engine.alone(
      sql`insert into notes (name, value) values (${name}, ${text})
        on conflict (name) do update set value = excluded.value`,
    );
  }

  async remove(name: string): Promise<void> {
    await this.engine.alone(sql`delete from notes where name = ${name}`);
  }

  async list(prefix: string): Promise<readonly Note[]> {
    const notes = await this.engine.rows<Note>(
      sql`select name, value as text from notes
        where substr(name, 1, ${prefix.length}) = ${prefix} order by name`,
    );
    return notes.map(({ name, text }) => ({ name, text }));
  }
}
