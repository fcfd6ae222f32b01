// Pages of lists: composed from memory where it has their order, else each by one statement or two.
import type { RawBuilder } from "kysely";
import type { Page, Scalar } from "../storage/port.ts";
import {
  encodeCursor,
  type ParsedQuery,
  type Position,
  reversed,
  type Sort,
} from "../storage/query.ts";
import type { Engine } from "./engine.ts";
import type { Counted, Extent } from "./extent.ts";
import { Listed, type Shown } from "./listed.ts";
import { allMatchesSql, type Conditions, firstRowsSql, pageSql } from "./page_statements.ts";
import type { Place } from "./places.ts";
import type { Row, Table } from "./tables.ts";
import { CommonTrigrams } from "./trigrams.ts";
import { querySql, TRIGRAM } from "./where.ts";

/**
 * A term that more than the first part of the texts hold, and no more than the second, is in the first rows of most lists,
 * but not of all: a list by name has all people of one name together. One of less than three letters no index looks up.
 */
const SOME = 0.01, MOST = 0.2;
/** Up to this offset, the first rows of a list are worth a look. */
const NEAR = 100;

/** From so many rows on, a page after a cursor is one of a walk through the list. */
const WALKED = 50;

/** Whether a page is one of a walk, of which nothing is kept: it would push out what is asked for again. */
export function isWalk({ after, limit }: ParsedQuery): boolean {
  return after !== null && limit >= WALKED;
}

/** What a page is to have of each record, and how it is read. */
export interface Form<K, R> extends Shown<K, R> {
  /** What is read, the fields of the sort among it. */
  readonly columns: RawBuilder<unknown>;
  /** @param generation That of the collection before it was read; null: nothing is to be kept. */
  from(rows: readonly Row[], generation: number | null): R[];
}

export class Pages {
  readonly #trigrams: CommonTrigrams;
  readonly #listed: Listed;

  /** @param total Tells how many records match. */
  constructor(
    readonly engine: Engine,
    readonly table: Table,
    readonly extent: Extent,
    readonly total: (counted: Counted, conditions: Conditions) => Promise<number>,
  ) {
    this.#trigrams = new CommonTrigrams(engine, table);
    this.#listed = new Listed(engine, table, extent);
  }

  /** A page that memory has all of; null where it has not. */
  held<K, R>(query: ParsedQuery, form: Form<K, R>): Page<R> | null {
    return this.#listed.held(query, form);
  }

  /** Asks the database for what memory lacks of a page. */
  async ask<K, R>(query: ParsedQuery, form: Form<K, R>): Promise<Page<R>> {
    const { extent } = this;
    const known = extent.known(query);
    if (known !== null && query.offset >= known && !query.after) {
      return { rows: [], total: known, nextCursor: null };
    }
    const part = query.search && await this.#trigrams.rarePart(query.search);
    const matching = querySql(this.engine.dialect, this.table, query, part);
    const learned = await this.#listed.learn(query, matching);
    const composed = await this.#listed.page(query, form, matching);
    if (composed) return composed;
    const place = this.#listed.place(query, learned);
    if (await this.#isHard(query, place)) return await this.#search(query, form, matching);
    return await this.#read(query, form, matching, place);
  }

  /** Whether the planner is likely to find a page of a search in the wrong way. */
  async #isHard({ search, sort, offset }: ParsedQuery, place: Place): Promise<boolean> {
    // Pages further down, and after a cursor, and orders of several fields, which no index has, are left to it.
    if (search === "" || place.position || offset >= NEAR || sort.length > 2) return false;
    const share = await this.#trigrams.shareOf(search);
    if (share === null || share > MOST) return false;
    return search.length < TRIGRAM || share > SOME;
  }

  /** A look at the first rows where matches are likely to be among them; else all are found, which tells their number too. */
  async #search<K, R>(
    query: ParsedQuery,
    form: Form<K, R>,
    matching: Conditions,
  ): Promise<Page<R>> {
    const { engine: { dialect, memory }, table, extent } = this;
    const { search, sort, offset, limit } = query;
    const generation = isWalk(query) ? null : memory.of(table.declaration.name).generation;
    const share = await this.#trigrams.shareOf(search) ?? 0;
    const first = share <= SOME ? [] : await this.engine.rows<Row>(
      firstRowsSql(dialect, table, query, form.columns, matching),
    );
    if (first.length > limit) {
      const total = extent.known(query) ?? await this.total(query, matching);
      return this.#page(query, form, first, total, generation);
    }
    // The index that all are found in then has the fields of these orders.
    const byAge = ["createdAt", "id"].includes(sort[0]!.field);
    const byIds = search.length < TRIGRAM && !byAge;
    const found = await this.engine.alone<Row & { matches: number }>(
      allMatchesSql(dialect, table, query, form.columns, matching, byIds),
    );
    // Without a row there is none to tell their number, unless it is the first that is missing.
    const total = extent.known(query) ?? found[0]?.matches ??
      (offset === 0 ? 0 : await this.total(query, matching));
    return this.#page(query, form, found, total, generation);
  }

  async #read<K, R>(
    query: ParsedQuery,
    form: Form<K, R>,
    matching: Conditions,
    place: Place,
  ): Promise<Page<R>> {
    const { engine: { dialect, memory }, table, extent } = this;
    const generation = isWalk(query) ? null : memory.of(table.declaration.name).generation;
    const back = this.#fromEnd(query, place);
    const found = await this.engine.rows<Row>(
      pageSql(dialect, table, back?.query ?? query, form.columns, matching, back?.place ?? place),
    );
    if (back) found.reverse();
    // Asked for again: a commit may have come meanwhile.
    const total = extent.known(query) ?? lengthOf(query, found.length) ??
      await this.total(query, matching);
    return this.#page(query, form, found, total, generation);
  }

  /** @param found One more than the limit: there is a next page. */
  #page<K, R>(
    { sort, limit }: ParsedQuery,
    form: Form<K, R>,
    found: readonly Row[],
    total: number,
    generation: number | null,
  ): Page<R> {
    const last = found.length > limit ? found[limit - 1]! : null;
    const nextCursor = last && encodeCursor(sort, this.#positionOf(sort, last));
    return { rows: form.from(found.slice(0, limit), generation), total, nextCursor };
  }

  /** The same rows as a page of the reversed list, where that has fewer rows to skip. */
  #fromEnd(
    query: ParsedQuery,
    { position, skip }: Place,
  ): { query: ParsedQuery; place: Place } | null {
    const total = this.extent.known(query);
    // The list may be shorter by now than when the page was asked for.
    if (total === null || position || skip >= total || 2 * skip < total) return null;
    // As pages are read, with the row after them where there is one.
    const end = Math.min(skip + query.limit + 1, total);
    return {
      query: { ...query, sort: reversed(query.sort), limit: end - skip - 1 },
      place: { position: null, inclusive: false, skip: total - end },
    };
  }

  #positionOf(sort: Sort, row: Row): Position {
    const { dialect } = this.engine;
    return sort.map(({ field }) => {
      const { name, kind } = this.table.byField.get(field)!;
      return row[name] === null ? null : dialect.decode(kind, row[name]) as Scalar;
    });
  }
}

/** How many records match, where that shows in how many a page has; else null. @param found One more than the limit: there are more. */
function lengthOf({ offset, limit, after }: ParsedQuery, found: number): number | null {
  const isLast = found <= limit && (found > 0 || offset === 0);
  return isLast && !after ? offset + found : null;
}
