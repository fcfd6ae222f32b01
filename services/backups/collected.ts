// All bytes of a body that somebody else sends: within a time, and no more than one has room for.

/**
 * @param limits `most`: bytes; `within`: milliseconds.
 * @returns Null where the body breaks off, is longer, or takes longer.
 */
export async function collected(
  body: ReadableStream<Uint8Array>,
  { most, within }: { readonly most: number; readonly within: number },
): Promise<Uint8Array | null> {
  const reader = body.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let left = most;
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    reader.cancel().catch(() => {});
  }, within);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (isLate) return null;
      if (done) return await new Blob(chunks).bytes();
      left -= value.length;
      if (left < 0) {
        reader.cancel().catch(() => {});
        return null;
      }
      chunks.push(value as Uint8Array<ArrayBuffer>);
    }
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}
