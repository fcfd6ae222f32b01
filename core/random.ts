// Random bytes for ids and salts, of which every write needs some.

/** Bytes made at a time: each call for some takes about a microsecond, and an id needs no more than two without. */
const POOLED = 4096;

let pool = new Uint8Array(0);
let used = 0;

/** Random bytes that nobody else gets. @param count 4096 at most. */
export function randomBytes(count: number): Uint8Array {
  if (used + count > pool.length) {
    pool = crypto.getRandomValues(new Uint8Array(POOLED));
    used = 0;
  }
  return pool.subarray(used, used += count);
}
