// The names and values of a URL's query.

/** What `URLSearchParams` reads otherwise than it is written: what is encoded, and what is not printable ASCII. */
const ENCODED = /[%+]|[^\x20-\x7e]/;

/**
 * What `new URLSearchParams(query)` gives; where nothing is encoded, in a third of its time. Hono's own reader takes time
 * that grows with the square of the length where names have no value.
 *
 * @param query Empty, or with the question mark that it begins with.
 */
export function queryPairs(query: string): Iterable<[name: string, value: string]> {
  if (ENCODED.test(query)) return new URLSearchParams(query);
  const pairs: [string, string][] = [];
  for (let start = 1; start < query.length;) {
    const next = query.indexOf("&", start), end = next < 0 ? query.length : next;
    const pair = query.slice(start, end), equals = pair.indexOf("=");
    if (equals >= 0) pairs.push([pair.slice(0, equals), pair.slice(equals + 1)]);
    else if (pair !== "") pairs.push([pair, ""]);
    start = end + 1;
  }
  return pairs;
}
