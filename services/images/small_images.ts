// Small images of large ones: a few bounds on what is made at a time, around the thread that makes them.
import { ApiError } from "../../core/errors.ts";
import { semaphore } from "../../core/semaphore.ts";
import { MIB } from "../../core/units.ts";
import { onThread } from "../threads/threads.ts";
import type { ImageOutcome, ImageTask, Problem } from "./image_worker.ts";

export const THUMBNAIL_SOURCES: ReadonlySet<string> = new Set([
  "image/jpeg",
  "image/png",
  "image/webp",
  "image/gif",
]);

/** Bytes of an image that is made smaller, at most. */
export const MAX_SOURCE = 32 * MIB;
/** Those under way and waiting beyond which further ones are refused; the bytes of those that wait are not read yet. */
const MAX_PENDING = 64;
/** Milliseconds that a caller waits; the slowest image known takes about two seconds, its turn included more. */
const MAX_WAIT = 20_000;

/** One at a time: each may take some hundred mebibytes. */
const inTurn = semaphore(1);
let pending = 0;

/**
 * @param asked.bytes Called when it is this image's turn.
 * @throws {ApiError} UNSUPPORTED_MEDIA_TYPE for what is no such image, is broken, or has too many pixels; UNAVAILABLE.
 */
export async function smallImage(
  asked: Omit<ImageTask, "bytes"> & { bytes(): Promise<Uint8Array<ArrayBuffer>> },
): Promise<Exclude<ImageOutcome, { problem: Problem }>> {
  if (pending >= MAX_PENDING) throw busy();
  pending++;
  const outcome = await withinWait(inTurn(() => convert(asked)).finally(() => pending--));
  if (!("problem" in outcome)) return outcome;
  throw new ApiError("UNSUPPORTED_MEDIA_TYPE", problems[outcome.problem]);
}

async function convert(
  { bytes: read, size, shape }: Parameters<typeof smallImage>[0],
): Promise<ImageOutcome> {
  const bytes = await read();
  const task: ImageTask = { bytes, size, shape };
  return await onThread<ImageTask, ImageOutcome>({
    kind: "images",
    task,
    weight: bytes.length,
    handedOver: [bytes.buffer],
  });
}

const problems: Readonly<Record<Problem, string>> = {
  type: "The file is no image in JPEG, PNG, WebP or GIF",
  pixels: "The image is too large: at most 25 megapixels, 16,384 pixels a side and 32 scans",
  broken: "The image is broken: it cannot be decoded",
};

/** Waits for an image, but not too long. It goes on being made, so that the next in turn does not overtake it. */
async function withinWait<T>(outcome: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(busy()), MAX_WAIT);
  });
  try {
    return await Promise.race([outcome, late]);
  } finally {
    clearTimeout(timer);
  }
}

function busy(): ApiError {
  return new ApiError("UNAVAILABLE", "Too many images at a time: try again shortly", {
    headers: { "retry-after": "2" },
  });
}
