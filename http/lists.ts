// Turns the query of a request for a list into the store's query, and the store's page into the answer.
import type { Awaitable } from "../core/awaitable.ts";
import { BoundedMap } from "../core/bounded_map.ts";
import type { Answer, Call, Pagination } from "./endpoint.ts";
import { jsonArray, JsonText } from "../core/json.ts";
import { KIB, MIB } from "../core/units.ts";
import { MAX_LIMIT } from "../models/list_query.ts";
import { remembering } from "../storage/memory/remembered.ts";
import type { CollectionDeclaration, ListQuery, Page } from "../storage/port.ts";
import { DEFAULT_LIMIT } from "../storage/query.ts";

/** The paging part of `listQuery`. */
export interface Paging {
  readonly page?: number;
  readonly limit?: number;
  readonly pageSize?: number;
  readonly search?: string;
  readonly q?: string;
  readonly keyword?: string;
  readonly sort?: string;
  readonly cursor?: string;
  readonly where?: { readonly id?: { readonly in?: readonly unknown[] } };
}

/**
 * Paging, search and sort for the store; the caller of this function adds `where`.
 *
 * @param limits How many records a page holds where the request does not say, and at most. @default 10, 100
 */
export function listing<T>(
  query: Paging,
  limits = { fallback: DEFAULT_LIMIT, max: MAX_LIMIT },
): ListQuery<T> & { page: number; limit: number } {
  const search = (query.search ?? query.q ?? query.keyword)?.trim();
  return {
    page: query.page ?? 1,
    limit: limitOf(query, limits),
    search: search || undefined,
    sort: query.sort || undefined,
    cursor: query.cursor || undefined,
  };
}

/** Whoever names the records by id gets all of them at once, where no limit is given. */
function limitOf(
  { limit, pageSize, where }: Paging,
  { fallback, max }: { fallback: number; max: number },
): number {
  const asked = limit ?? pageSize;
  if (asked !== undefined) return Math.min(asked, max);
  return Math.max(fallback, where?.id?.in?.length ?? 0);
}

export function pagination(
  { page, limit }: { page: number; limit: number },
  { total, nextCursor }: Page<unknown>,
): Pagination {
  return { page, limit, total, totalPages: Math.ceil(total / limit), nextCursor };
}

/** The answer to a list whose rows are ready JSON. */
export function listAnswer<D>(
  paging: { page: number; limit: number },
  page: Page<unknown>,
  rows: readonly JsonText[],
): Answer<D> {
  return { data: jsonArray(rows), pagination: pagination(paging, page) };
}

/** Characters of the longest page that is remembered, and of the longest query whose page is. */
const REMEMBERED = { page: 16 * KIB, query: 200 };
/** Queries whose last asking is known. */
const RECENT = 1000;

/**
 * Remembers pages that are the same for everyone who may see them, by their query, from the second asking on: most
 * queries are put once, and keeping their pages would cost more than it saves.
 *
 * @param collections All that a page is made from.
 */
export function rememberedPages<D>(
  // deno-lint-ignore no-explicit-any -- declarations of different records in one list
  collections: readonly CollectionDeclaration<any>[],
): (
  call: Pick<Call, "store" | "context">,
  make: () => Awaitable<Answer<D>>,
) => Awaitable<Answer<D>> {
  const pages = remembering<Answer<D>>(collections, { maxBytes: 2 * MIB, bytesOf });
  const recent = new BoundedMap<string, true>(RECENT);
  return ({ store, context }, make) => {
    const { url } = context.req;
    const question = url.indexOf("?");
    const query = question < 0 ? "" : url.slice(question);
    if (query.length > REMEMBERED.query) return make();
    if (recent.get(query)) return pages(store).through(query, make);
    recent.set(query, true);
    return make();
  };
}

function bytesOf({ data }: Answer<unknown>): number {
  const kept = data instanceof JsonText && data.text.length <= REMEMBERED.page;
  return kept ? 2 * data.text.length : Infinity;
}
