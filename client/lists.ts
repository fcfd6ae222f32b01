// Walking a list of any length, and changing a record without overwriting what others did.

/** What every list answers with. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly pagination: { readonly nextCursor?: string | null };
}

/**
 * Every record of a list, page after page by cursor, so that none comes twice or is missed while others are added.
 *
 * ```ts
 * for await (const user of every(({ cursor }) => listUsers({ query: { limit: 100, cursor } }))) …
 * ```
 */
export async function* every<T>(
  page: (query: { cursor?: string }) => Promise<Page<T>>,
): AsyncGenerator<T, void, undefined> {
  let cursor: string | undefined;
  do {
    const { data, pagination } = await page(cursor === undefined ? {} : { cursor });
    yield* data;
    cursor = pagination.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/**
 * A record with its version. A write that gives the version back as `If-Match` throws a `ConflictError` where somebody
 * else was faster.
 *
 * ```ts
 * const { data: document, etag } = await versioned(getDocument({ path: { id }, responseStyle: "fields" }));
 * await updateDocument({ path: { id }, body: { title }, headers: { "If-Match": etag } });
 * ```
 *
 * @throws {TypeError} where the answer has no version, such as with `include`: a write without one would overwrite what
 * others did meanwhile.
 */
export async function versioned<T extends { readonly data?: unknown }>(
  answer: Promise<T>,
): Promise<{ data: T["data"]; etag: string }> {
  // What the answer's type does not know: `responseStyle: "fields"` adds the response.
  const { data, response } = await answer as unknown as { data: T; response?: Response };
  const etag = response?.headers.get("etag");
  if (!etag) {
    throw new TypeError(
      'Cannot tell the version: expected an answer with an ETag, asked for with `responseStyle: "fields"` and without `include`',
    );
  }
  return { data: data.data, etag };
}
