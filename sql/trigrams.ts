// What a sample of a table's texts tells about searches: which trigrams nearly every text has, and which terms many have.
import { sql } from "kysely";
import type { Engine } from "./engine.ts";
import { TRIGRAM } from "./where.ts";
import type { Table } from "./tables.ts";
import { MINUTE } from "../core/units.ts";

/** Tables with fewer rows are searched by the whole term. */
const MANY_ROWS = 10_000;
/** How many texts are looked at, and how many characters of each: some 5 ms of work. */
const SAMPLE = { rows: 500, length: 200 };
/** One row of so many is taken of the pages that are read: rows of one page were often written together, and are alike. */
const THINNED = 5;
/** A trigram is common from this part of the texts on. */
const COMMON = 0.05;
/** The shortest part of a term that is looked up instead of it: the planner takes shorter ones to be in many rows. */
const MIN_PART = TRIGRAM + 1;
/** Milliseconds until another sample is taken. What is found does not depend on it, only how fast. */
const SAMPLE_AGE = 10 * MINUTE;

interface Sample {
  /** None of a table with few rows. */
  readonly texts: readonly string[];
  readonly common: ReadonlySet<string>;
}

export class CommonTrigrams {
  #sample: Promise<Sample> | null = null;
  #sampledAt = -Infinity;

  constructor(readonly engine: Engine, readonly table: Table) {}

  /** The part of a term that an index is to look up: the term without the common trigrams at its ends. */
  async rarePart(term: string): Promise<string> {
    if (term.length <= MIN_PART) return term;
    return rarePart(term, (await this.#sampled()).common);
  }

  /** The part of the texts that hold the term, about; null where rows are few. */
  async shareOf(term: string): Promise<number | null> {
    const { texts } = await this.#sampled();
    if (texts.length === 0) return null;
    return texts.filter((text) => text.includes(term)).length / texts.length;
  }

  #sampled(): Promise<Sample> {
    const now = performance.now();
    if (this.#sample && now - this.#sampledAt < SAMPLE_AGE) return this.#sample;
    this.#sampledAt = now;
    const sample = this.#take();
    sample.catch(() => this.#sample = null);
    return this.#sample = sample;
  }

  async #take(): Promise<Sample> {
    const { name } = this.table;
    const [counted] = await this.engine.rows<{ total: number }>(
      sql`select "rows" as total from counts where collection_table = ${name}`,
    );
    const total = counted?.total ?? 0;
    if (total < MANY_ROWS) return { texts: [], common: new Set() };
    const percent = sql.lit(Math.min(100 * THINNED * SAMPLE.rows / total, 100));
    const rows = await this.engine.rows<{ text: string }>(
      sql`select left(search_text, ${sql.lit(SAMPLE.length)}) as text
        from ${sql.table(name)} tablesample system (${percent})
        where random() < ${sql.lit(1 / THINNED)} limit ${sql.lit(SAMPLE.rows)}`,
    );
    const texts = rows.map(({ text }) => text);
    return { texts, common: commonIn(texts) };
  }
}

/** The trigrams that are in many of the texts. */
export function commonIn(texts: readonly string[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const trigram of new Set(trigramsOf(text))) {
      counts.set(trigram, (counts.get(trigram) ?? 0) + 1);
    }
  }
  const many = COMMON * texts.length;
  return new Set([...counts].flatMap(([trigram, count]) => count >= many ? [trigram] : []));
}

/** The term itself where too little of it would be left. */
export function rarePart(term: string, common: ReadonlySet<string>): string {
  const isRare = trigramsOf(term).map((trigram) => !common.has(trigram));
  const first = isRare.indexOf(true);
  if (first === -1) return term;
  const part = term.slice(first, isRare.lastIndexOf(true) + TRIGRAM);
  // Half of a surrogate pair is no character.
  return part.length < MIN_PART || !part.isWellFormed() ? term : part;
}

function trigramsOf(text: string): string[] {
  return Array.from(
    { length: Math.max(0, text.length - TRIGRAM + 1) },
    (_, at) => text.slice(at, at + TRIGRAM),
  );
}
