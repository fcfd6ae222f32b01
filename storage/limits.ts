// Limits that are the same on every engine, even where one could do more.
import { DAY, KIB, MIB } from "../core/units.ts";

/** Longest record, in bytes of its JSON in UTF-8. */
export const MAX_RECORD_BYTES = 512 * KIB;
/** Milliseconds that an entry of the journal is kept. */
export const JOURNAL_RETENTION = 7 * DAY;
/** Bytes of records in memory where the settings do not say. */
export const DEFAULT_CACHE_BYTES = 96 * MIB;
