// What a request with an Idempotency-Key has done, kept by the same commit until its answer takes the place.
import type { Connection } from "../dialect.ts";
import { run } from "./ddl.ts";

export async function up(db: Connection): Promise<void> {
  await run(db, 'alter table "idempotent_answers" add column "outcome" text');
}
