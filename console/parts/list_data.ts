// What lists are read by: one page, or all rows where all are wanted.
import { every } from "../../client/mod.ts";
import type { ListState } from "../state/address.ts";
import type { QueryResult } from "../state/query.ts";

/** What a list of the API answers with. */
export interface ListAnswer<T> {
  readonly data: readonly T[];
  readonly pagination: { readonly total: number; readonly nextCursor?: string | null };
}

export interface ListRows<T> {
  readonly rows: readonly T[];
  readonly total: number;
}

/** Reads a page of a list. */
// deno-lint-ignore no-explicit-any -- each list of the client has a query of its own
export type ReadList<T> = (query: any) => Promise<ListAnswer<T>>;

/** As many rows are loaded where all are wanted. */
const MOST = 10_000;
/** Rows a request, then. */
const CHUNK = 100;

/**
 * Reads what the state of a list asks for.
 *
 * ```ts
 * const users = useQuery(["users", state.query, state.limit], (signal) =>
 *   loadList(state, (query) => listUsers({ query, signal })));
 * ```
 */
export async function loadList<T>(
  { limit, query }: Pick<ListState, "limit" | "query">,
  read: ReadList<T>,
): Promise<ListRows<T>> {
  if (limit !== "all") {
    const { data, pagination } = await read(query);
    return { rows: data, total: pagination.total };
  }
  let total = 0;
  const rows: T[] = [];
  const all = rowsOf(query, async (asked) => {
    const answer = await read(asked);
    total = answer.pagination.total;
    return answer;
  });
  for await (const row of all) {
    rows.push(row);
    if (rows.length >= MOST) break;
  }
  return { rows, total };
}

/** All rows that a list finds, on all of its pages, in its order: for a file. */
export async function loadAll<T>(
  { query }: Pick<ListState, "query">,
  read: ReadList<T>,
): Promise<readonly T[]> {
  const { page: _, ...found } = query;
  return await Array.fromAsync(rowsOf(found, read));
}

function rowsOf<T>(query: ListState["query"], read: ReadList<T>): AsyncIterable<T> {
  return every(({ cursor }) => read({ ...query, limit: CHUNK, ...(cursor ? { cursor } : {}) }));
}

/** What a table is given of a query: `<ListPage {...listed(users)} />`. */
export function listed<T>(result: QueryResult<ListRows<T>>) {
  return {
    rows: result.data?.rows,
    total: result.data?.total ?? 0,
    loading: result.isFetching && (result.isPlaceholderData || result.data === undefined),
    error: result.error ?? undefined,
    retry: () => result.refetch(),
  };
}
