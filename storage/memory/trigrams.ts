// Trigrams of texts, as the search index tells them apart: three bytes each, by the bucket that they fall into.

/** How many buckets trigrams share, a power of two. Trigrams that share one only add candidates to verify. */
const BUCKET_BITS = 16;
export const BUCKETS = 1 << BUCKET_BITS;

/** Multiplicative hashing: odd constants spread each byte, the high bits choose the bucket. */
export function bucketOf(a: number, b: number, c: number): number {
  return (Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35)) >>>
    (32 - BUCKET_BITS);
}

/** Each bucket once. */
export function bucketsOf(term: Uint8Array): number[] {
  const buckets = new Set<number>();
  for (let i = 2; i < term.length; i++) buckets.add(bucketOf(term[i - 2]!, term[i - 1]!, term[i]!));
  return [...buckets];
}
