// Takes an upload: its form, its type, its bytes. Nothing refers to the bytes yet when it is done.
import type { Settings } from "../config/settings.ts";
import { ApiError, invalid } from "../core/errors.ts";
import { safeFileName } from "../models/names.ts";
import { type FreshBlob, removeBlobs } from "../services/content/contents.ts";
import { HEAD_BYTES, mediaTypeOf } from "../services/content/media_types.ts";
import {
  ReferenceConflict,
  type Store,
  TooLarge,
  UniqueConflict,
  VersionConflict,
} from "../storage/port.ts";
import { Repeated } from "./idempotency.ts";
import { type FilePart, readForm } from "./multipart.ts";

export interface Upload {
  readonly blob: FreshBlob;
  readonly mimeType: string;
  /** Safe, from what the client declares. */
  readonly name: string;
  /** The other parts of the form. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Tells an upload from another one, by its bytes and all that comes with them. */
export function digestOf({ blob, mimeType, name, fields }: Upload): string {
  return JSON.stringify([blob.sha256, mimeType, name, Object.entries(fields).sort()]);
}

interface Services {
  readonly store: Pick<Store, "blobs">;
  readonly settings: Settings;
}

/**
 * Stores the bytes of the part `file`.
 *
 * @throws {ApiError} VALIDATION_ERROR without such a part, for an empty file and for a broken form; PAYLOAD_TOO_LARGE;
 * UNSUPPORTED_MEDIA_TYPE. Nothing is left behind then.
 */
export async function receiveUpload(
  request: Request,
  { store, settings }: Services,
): Promise<Upload> {
  const { maxBytes, types } = settings.uploads;
  let begun = false;
  try {
    const { file, fields } = await readForm(request, {
      maxBytes,
      keep(part) {
        begun = true;
        return keep(part, store, { maxBytes, types });
      },
      discard: ({ blob }) => removeBlobs(store.blobs, [blob.id]),
    });
    if (file) return { ...file, fields };
    throw invalid("file", "Cannot take the upload: it has no part 'file'");
  } catch (error) {
    throw begun ? error : withoutFile(error, settings);
  }
}

/**
 * Stores the bytes of a file that came in JSON.
 *
 * @param content.mimeType As the client declares it; not to be trusted.
 * @throws {ApiError} PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE. Nothing is left behind then.
 */
export async function storeContent(
  { name, mimeType, bytes }: { name: string; mimeType: string; bytes: Uint8Array<ArrayBuffer> },
  { store, settings }: Services,
): Promise<Upload> {
  const part = { filename: name, mimeType, stream: new Blob([bytes]).stream() };
  return { ...await keep(part, store, settings.uploads), fields: {} };
}

/** The contract wants plain text where there is no part `file`, whatever there is instead. */
function withoutFile(error: unknown, { variant }: Settings): unknown {
  if (!(error instanceof ApiError) || error.code !== "VALIDATION_ERROR") return error;
  const { message, details } = error;
  return new ApiError(error.code, message, { details, plain: variant.missingFile === "text" });
}

async function keep(
  part: FilePart,
  { blobs }: Pick<Store, "blobs">,
  { maxBytes, types }: Pick<Settings["uploads"], "maxBytes" | "types">,
): Promise<Omit<Upload, "fields">> {
  const { head, stream } = await peek(part.stream);
  try {
    if (head.length === 0) throw invalid("file", "Cannot take the upload: the file is empty");
    const mimeType = await mediaTypeOf(head, part.mimeType, types);
    const blob = await blobs.put(stream, { maxBytes });
    return { blob, mimeType, name: safeFileName(part.filename) };
  } catch (error) {
    await stream.cancel().catch(() => {});
    throw error;
  }
}

/** The first bytes, and the whole stream with them. */
async function peek(
  stream: ReadableStream<Uint8Array>,
): Promise<{ head: Uint8Array; stream: ReadableStream<Uint8Array> }> {
  const reader = stream.getReader();
  const first: Uint8Array[] = [];
  let size = 0;
  while (size < HEAD_BYTES) {
    const { done, value } = await reader.read();
    if (done) break;
    first.push(value);
    size += value.length;
  }
  const head = new Uint8Array(await new Blob(first as BlobPart[]).arrayBuffer());
  const whole = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const seen = first.shift();
      if (seen) return controller.enqueue(seen);
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
  return { head: head.subarray(0, HEAD_BYTES), stream: whole };
}

/**
 * Runs the transaction that refers to the upload. When it surely failed the bytes are removed; when it may have been
 * committed they stay, and the sweep removes them later if nothing refers to them.
 */
export async function referringTo<R>(
  upload: Upload,
  { blobs }: Pick<Store, "blobs">,
  commit: () => Promise<R>,
): Promise<R> {
  try {
    return await commit();
  } catch (error) {
    if (SURE.some((kind) => error instanceof kind)) await removeBlobs(blobs, [upload.blob.id]);
    throw error;
  }
}

const SURE = [Repeated, ApiError, VersionConflict, UniqueConflict, ReferenceConflict, TooLarge];
