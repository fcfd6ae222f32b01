// What becomes of a text that is being written when a newer version of the document arrives.

/** A version that a text began with. */
export interface Base {
  readonly etag: string;
  readonly content: string;
  /** ISO 8601 */
  readonly updatedAt: string;
}

/**
 * @param typed What stands in the editor now.
 * @returns What is to stand there from now on, upon the newer version; "conflict" where both have changed the text in
 *   different ways; "older" where there is nothing new.
 */
export function taken(
  base: Base,
  typed: string,
  newer: Base,
): { readonly content: string } | "conflict" | "older" {
  if (newer.etag === base.etag || newer.updatedAt < base.updatedAt) return "older";
  if (newer.content === base.content) return { content: typed };
  return typed === base.content || typed === newer.content
    ? { content: newer.content }
    : "conflict";
}
