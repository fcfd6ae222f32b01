// Thumbnails: made when one is first asked for, then kept with the content they are of, for as long as that is kept.
import { BoundedMap } from "../../core/bounded_map.ts";
import { ApiError } from "../../core/errors.ts";
import { type Content, contents, type File, type Thumbnail } from "../../models/files.ts";
import { BlobRemoved, type Store } from "../../storage/port.ts";
import { Ledger, removeBlobs } from "../content/contents.ts";
import { MAX_SOURCE, smallImage, THUMBNAIL_SOURCES } from "./small_images.ts";

/** Images known to give no thumbnail. */
const REMEMBERED = 10_000;

type Source = Pick<File, "sha256" | "size" | "mimeType">;

const refusals = new BoundedMap<string, ApiError>(REMEMBERED);
/** By content and size: those who ask for one that is being made wait for it. */
const underWay = new WeakMap<Store, Map<string, Promise<Thumbnail>>>();

/**
 * The thumbnail of a version of a file.
 *
 * @param size Pixels of the longer side, at most.
 * @throws {ApiError} UNSUPPORTED_MEDIA_TYPE for what is no image, is broken, or has too many pixels or bytes; NOT_FOUND
 * when the version was deleted meanwhile; UNAVAILABLE when too many are waited for.
 */
export async function thumbnailOf(store: Store, source: Source, size: number): Promise<Thumbnail> {
  if (!THUMBNAIL_SOURCES.has(source.mimeType) || source.size > MAX_SOURCE) {
    throw new ApiError(
      "UNSUPPORTED_MEDIA_TYPE",
      `There are thumbnails of JPEG, PNG, WebP and GIF, up to ${MAX_SOURCE} bytes`,
    );
  }
  const refused = refusals.get(source.sha256);
  if (refused) throw refused;
  const content = present(await store.from(contents).get(source.sha256));
  const kept = content.thumbnails?.find((one) => one.pixels === size);
  return kept ?? await made(store, content, size);
}

function made(store: Store, content: Content, size: number): Promise<Thumbnail> {
  const making = underWay.get(store) ?? new Map<string, Promise<Thumbnail>>();
  underWay.set(store, making);
  const key = `${size} ${content.id}`;
  const begun = making.get(key) ??
    make(store, content, size).finally(() => making.delete(key));
  making.set(key, begun);
  return begun;
}

async function make(store: Store, { id, blobId }: Content, size: number): Promise<Thumbnail> {
  try {
    const { image, mimeType } = await smallImage({
      bytes: () => bytesOf(store, { id, blobId }),
      size,
      shape: "whole",
    });
    const blob = await store.blobs.put(new Blob([image]).stream(), { maxBytes: Infinity });
    const { sha256 } = blob;
    const thumbnail = { pixels: size, sha256, size: blob.size, mimeType };
    const { kept, unused } = await store.transact({ userId: null }, async (tx) => {
      const content = present(await tx.from(contents).get(id));
      const kept = content.thumbnails?.find((one) => one.pixels === size);
      if (kept) return { kept, unused: [blob.id] };
      const ledger = new Ledger();
      // An image that is small already can come out as it was; it does not keep itself.
      if (sha256 !== id) ledger.keep(blob);
      tx.update(contents, content, { thumbnails: [...content.thumbnails ?? [], thumbnail] });
      const unused = await ledger.write(tx, Infinity, blob);
      return { kept: thumbnail, unused: sha256 === id ? [blob.id] : unused };
    }).catch(async (error) => {
      // The file was deleted meanwhile. What may have been committed stays.
      if (error instanceof ApiError) await removeBlobs(store.blobs, [blob.id]);
      throw error;
    });
    await removeBlobs(store.blobs, unused);
    return kept;
  } catch (error) {
    const lasts = error instanceof ApiError && error.code === "UNSUPPORTED_MEDIA_TYPE";
    if (lasts) refusals.set(id, error);
    throw error;
  }
}

async function bytesOf(
  store: Store,
  { id, blobId }: Pick<Content, "id" | "blobId">,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await new Response(present(await store.blobs.get(blobId))).bytes();
  } catch (error) {
    // Else they are lost, and that is a failure of the store.
    if (error instanceof BlobRemoved) present(await store.from(contents).get(id));
    throw error;
  }
}

function present<T>(found: T | null): T {
  if (found === null) throw new ApiError("NOT_FOUND", "The file was deleted");
  return found;
}
