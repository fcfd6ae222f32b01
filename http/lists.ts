// Turns the query of a request for a list into the store's query, and the store's page into the answer.
import type { Answer, Pagination } from "./endpoint.ts";
import { jsonArray, JsonText } from "../core/json.ts";
import { MAX_LIMIT } from "../models/list_query.ts";
import type { ListQuery, Page } from "../storage/port.ts";
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
  const search = (query.search || query.q || query.keyword)?.trim();
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

/** The answer to a list whose rows, one by one or all together, are ready JSON. */
export function listAnswer<D>(
  paging: { page: number; limit: number },
  page: Page<unknown>,
  rows: readonly JsonText[] | JsonText,
): Answer<D> {
  const data = rows instanceof JsonText ? rows : jsonArray(rows);
  return { data, pagination: pagination(paging, page) };
}
