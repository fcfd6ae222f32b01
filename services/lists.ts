// From the query of a list to the store's, and from its page to the answer's.
import { andThen } from "../awaitable.ts";
import type { Answer, Pagination } from "../endpoint.ts";
import { jsonArray, JsonText } from "../json.ts";
import { MAX_LIMIT } from "../models/requests.ts";
import type { Awaitable, ListQuery, Page } from "../store.ts";

/** Records on a page where the request does not say. */
const DEFAULT_LIMIT = 10;

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
}

/** Paging, search and sort for the store; `where` is the caller's. */
export function listing<T>(query: Paging): ListQuery<T> & { page: number; limit: number } {
  const search = (query.search ?? query.q ?? query.keyword)?.trim();
  return {
    page: query.page ?? 1,
    limit: Math.min(query.limit ?? query.pageSize ?? DEFAULT_LIMIT, MAX_LIMIT),
    search: search || undefined,
    sort: query.sort || undefined,
    cursor: query.cursor || undefined,
  };
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

/** Characters of the longest page that is remembered. */
const REMEMBERED_PAGE = 16 * 1024;

interface RememberedPage {
  readonly generations: readonly (number | null)[];
  readonly answer: Answer<never>;
}

const pages = new WeakMap<object, RememberedPage>();

/**
 * A page that is the same for everyone who may see it, remembered until a record that it rests on changes.
 *
 * @param query The validated query: the same object for the same text.
 * @param generations Of every collection that the page is made from.
 */
export function rememberedPage<D>(
  query: object,
  generations: readonly (number | null)[],
  make: () => Awaitable<Answer<D>>,
): Awaitable<Answer<D>> {
  const known = pages.get(query);
  if (known?.generations.every((was, i) => was !== null && was === generations[i])) {
    return known.answer as Answer<D>;
  }
  return andThen(make(), (answer) => {
    if (answer.data instanceof JsonText && answer.data.text.length <= REMEMBERED_PAGE) {
      pages.set(query, { generations, answer: answer as Answer<never> });
    }
    return answer;
  });
}
