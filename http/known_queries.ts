// Queries of lists, told apart from the page that they ask for: clients ask for one page after another of the same list.
import { BoundedMap } from "../core/bounded_map.ts";

/** Queries that are remembered of one kind, and the characters of one. */
const MAX_KNOWN = 200;
const MAX_LENGTH = 300;

/** A query less the page that it names. */
export interface Paged {
  /** Null where it names none, or not plainly as one number. */
  readonly page: number | null;
  readonly rest: string;
}

const PAGE = "page=";
/** Digits of a page that is read here: safe for a number, and enough for any list. */
const MAX_DIGITS = 9;
/** What may name a page once more: the name without a value, or any with an escape in it. */
const AGAIN = /[?&](?:page(?:&|$)|[^=&]*%)/;

/** @param query Empty, or with the question mark that it begins with. */
export function pageApart(query: string): Paged {
  const none = { page: null, rest: query };
  const at = query.indexOf(PAGE), start = at + PAGE.length;
  if (at < 1 || !isSeparator(query, at - 1)) return none;
  let end = start, page = 0;
  for (; end < query.length && !isSeparator(query, end); end++) {
    const digit = query.charCodeAt(end) - 0x30;
    if (digit < 0 || digit > 9 || end - start >= MAX_DIGITS) return none;
    page = 10 * page + digit;
  }
  if (page === 0 || query.includes(PAGE, end)) return none;
  const rest = query.slice(0, at) + query.slice(end + 1);
  return AGAIN.test(rest) ? none : { page, rest };
}

function isSeparator(query: string, at: number): boolean {
  const code = query.charCodeAt(at);
  return code === 0x26 || (code === 0x3f && at === 0);
}

/** Queries that hardly come again: of walks, and searches that nobody has paged through. */
const WALK = /[?&]cursor=/;
const SEARCH = /[?&](search|q|keyword|\w+_like)=/;

/** What was made of queries, by their text less the page. */
export class KnownQueries<V> {
  readonly #known = new BoundedMap<string, V>(MAX_KNOWN);

  get({ rest }: Paged): V | undefined {
    return this.#known.get(rest);
  }

  /** Whether what is made of the query is worth to be kept. */
  takes({ page, rest }: Paged): boolean {
    return rest.length <= MAX_LENGTH && !WALK.test(rest) && (page !== null || !SEARCH.test(rest));
  }

  keep({ rest }: Paged, value: V): void {
    this.#known.set(rest, value);
  }
}
