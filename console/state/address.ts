// What a page shows, kept in its address: so it can be linked to, gone back to and saved.
import { useLocation } from "preact-iso/router";

/** Parameters of the query that are no filters. */
const RESERVED = new Set(["page", "limit", "sort", "search"]);

const PAGE_SIZES = [25, 50, 100] as const;

export interface ListState {
  /** Counted from 1. */
  readonly page: number;
  /** Rows a page; "all" loads up to 10,000. */
  readonly limit: number | "all";
  /** A field; with a minus in front, from the last to the first. */
  readonly sort: string;
  readonly search: string;
  /** By the names of the API's parameters. */
  readonly filters: Readonly<Record<string, string>>;
  /**
   * Changes some of it; whatever changes but the page leads to the first page. Empty filters go.
   *
   * @param replace Whether one cannot go back to what was before. @default where the search has changed
   */
  set(change: ListChange, replace?: boolean): void;
  /** The API's query for this page. */
  readonly query: Readonly<Record<string, string>>;
  /** What stands in the address, for links and saved views; empty where all is as usual. */
  readonly text: string;
}

export interface ListChange {
  readonly page?: number;
  readonly limit?: number | "all";
  readonly sort?: string;
  readonly search?: string;
  /** Those that are named; undefined or an empty text removes one. */
  readonly filters?: Readonly<Record<string, string | undefined>>;
  /** In place of all: what was saved as `text`. */
  readonly text?: string;
}

export interface ListDefaults {
  readonly sort: string;
  /** @default 25 */
  readonly limit?: number;
  /** Names of the filters that the list knows. */
  readonly filters?: readonly string[];
}

/** The state of a list, as the address has it. */
export function useListState(defaults: ListDefaults): ListState {
  const { url, path, route } = useLocation();
  const params = new URL(url, location.origin).searchParams;
  const state = readList(params, defaults);
  return {
    ...state,
    // Typing in a search field must not fill the history.
    set(change, replace = change.search !== undefined) {
      const next = change.text ??
        writeList({ ...state, ...merged(state, change) }, defaults, params);
      route(path + (next ? `?${next}` : ""), replace);
    },
    text: writeList(state, defaults, new URLSearchParams()),
  };
}

type Read = Omit<ListState, "set" | "text">;

export function readList(params: URLSearchParams, defaults: ListDefaults): Read {
  const page = Math.max(1, Math.trunc(Number(params.get("page"))) || 1);
  const size = Number(params.get("limit"));
  const limit = params.get("limit") === "all"
    ? "all"
    : PAGE_SIZES.some((one) => one === size)
    ? size
    : defaults.limit ?? PAGE_SIZES[0];
  const sort = params.get("sort") ?? defaults.sort;
  const search = params.get("search") ?? "";
  const filters: Record<string, string> = {};
  for (const [name, value] of params) {
    if (!RESERVED.has(name) && value !== "" && (defaults.filters ?? []).includes(name)) {
      filters[name] = value;
    }
  }
  const query = {
    ...(limit === "all" ? {} : { page: String(page), limit: String(limit) }),
    sort,
    ...(search ? { search } : {}),
    ...filters,
  };
  return { page, limit, sort, search, filters, query };
}

function merged(state: Read, change: ListChange): Partial<Read> {
  const { page = 1, filters = {}, text: _, ...rest } = change;
  const all = { ...state.filters };
  for (const [name, value] of Object.entries(filters)) {
    if (value) all[name] = value;
    else delete all[name];
  }
  return { ...rest, page, filters: all };
}

/** @param params The parameters of others stay. */
export function writeList(
  { page, limit, sort, search, filters }: Pick<
    Read,
    "page" | "limit" | "sort" | "search" | "filters"
  >,
  defaults: ListDefaults,
  params: URLSearchParams,
): string {
  const next = new URLSearchParams();
  const known = new Set([...RESERVED, ...defaults.filters ?? []]);
  for (const [name, value] of params) {
    if (!known.has(name)) next.append(name, value);
  }
  if (search) next.set("search", search);
  for (const [name, value] of Object.entries(filters)) next.set(name, value);
  if (sort !== defaults.sort) next.set("sort", sort);
  if (limit !== (defaults.limit ?? PAGE_SIZES[0])) next.set("limit", String(limit));
  if (page > 1) next.set("page", String(page));
  return next.toString();
}

/** One parameter of the address, such as the tab that is open. */
export function useParameter(
  name: string,
  fallback = "",
): [value: string, set: (value: string) => void] {
  const { url, path, route } = useLocation();
  const params = new URL(url, location.origin).searchParams;
  return [params.get(name) ?? fallback, (value) => {
    if (value === fallback) params.delete(name);
    else params.set(name, value);
    const query = params.toString();
    route(path + (query ? `?${query}` : ""), true);
  }];
}
