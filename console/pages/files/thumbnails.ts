// Small images of files, read once and kept for the next list.
import { getFileThumbnail } from "../../../client/mod.ts";

export type ThumbnailSize = "64" | "256";

interface Wanted {
  readonly id: string;
  /** Of the content: versions have images of their own. */
  readonly sha256: string;
}

/** As many are kept, and as many are read at once. */
const KEPT = 300;
const AT_ONCE = 4;

/** Addresses of images that were read, those used last at the end; null where there is none. */
const kept = new Map<string, Promise<string | null>>();
const waiting: (() => void)[] = [];
let reading = 0;

/** The address of a small image; null where the server can make none. */
export function thumbnail({ id, sha256 }: Wanted, size: ThumbnailSize): Promise<string | null> {
  const key = `${sha256} ${size}`;
  const known = kept.get(key);
  kept.delete(key);
  const found = known ?? read(id, size);
  kept.set(key, found);
  // What failed for the moment is tried again when it is wanted next.
  if (!known) found.catch(() => kept.delete(key));
  if (kept.size > KEPT) forgetFirst();
  return found;
}

function forgetFirst(): void {
  const [key, found] = kept.entries().next().value!;
  kept.delete(key);
  found.then((url) => url && URL.revokeObjectURL(url), () => {});
}

async function read(id: string, size: ThumbnailSize): Promise<string | null> {
  if (reading >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  reading++;
  try {
    const answer = await getFileThumbnail({ path: { id }, query: { size }, parseAs: "blob" });
    return URL.createObjectURL(answer as unknown as Blob);
  } catch (error) {
    if ((error as { status?: number }).status === 415) return null;
    throw error;
  } finally {
    reading--;
    waiting.shift()?.();
  }
}
