// Markdown conversion that no source can make slow for others: long ones run on their own thread, for a limited time.
import { ApiError, invalid } from "../errors.ts";
import { MAX_SOURCE_BYTES } from "../models/snippets.ts";
import type { FromWorker } from "./markdown_worker.ts";
import { semaphore } from "./semaphore.ts";

/** Characters converted in place: the slowest sources known take 8 ms at this length, starting a thread 70. */
const IN_PLACE = 4096;
/** Milliseconds of conversion; 256 KiB of ordinary text take 60 on a fresh thread. */
const TIME_LIMIT = 800;
/** Milliseconds for the thread to load. */
const START_LIMIT = 10_000;
/** Conversions at a time and waiting beyond which further ones are refused. */
const MAX_PENDING = 16;

/** One core stays free for other requests. */
const limited = semaphore(Math.max(1, navigator.hardwareConcurrency - 1));
let pending = 0;

/**
 * A complete HTML document without active content.
 *
 * @throws {ApiError} PAYLOAD_TOO_LARGE over 256 KiB; VALIDATION_ERROR for what is nested too deeply or takes too
 * long; UNAVAILABLE when too many conversions wait.
 */
export async function markdownToHtml(source: string): Promise<string> {
  assertSourceSize(source);
  if (source.length <= IN_PLACE) return assertConverted(await inPlace(source));
  if (pending >= MAX_PENDING) {
    const headers = { "retry-after": "1" };
    throw new ApiError("UNAVAILABLE", "Too many conversions at a time: try again shortly", {
      headers,
    });
  }
  pending++;
  try {
    return assertConverted(await limited(() => onThread(source)));
  } finally {
    pending--;
  }
}

/** @throws {ApiError} PAYLOAD_TOO_LARGE */
export function assertSourceSize(source: string): void {
  // A character has 1 to 3 bytes per code unit, so most texts need not be encoded to be measured.
  if (source.length * 3 <= MAX_SOURCE_BYTES) return;
  const bytes = new TextEncoder().encode(source).length;
  if (bytes <= MAX_SOURCE_BYTES) return;
  throw new ApiError(
    "PAYLOAD_TOO_LARGE",
    `The text is over ${MAX_SOURCE_BYTES} bytes: it has ${bytes}`,
  );
}

/** The converter is loaded at first use: a start need not wait for it. */
async function inPlace(source: string): Promise<string | null> {
  const { toDocument } = await import("./markdown_html.ts");
  try {
    return toDocument(source);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function assertConverted(html: string | null): string {
  if (html !== null) return html;
  throw invalid("markdown", "Cannot convert the Markdown: it is nested too deeply");
}

function onThread(source: string): Promise<string | null> {
  const worker = new Worker(import.meta.resolve("./markdown_worker.ts"), { type: "module" });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const outcome = new Promise<string | null>((resolve, reject) => {
    const within = (milliseconds: number, error: Error) => {
      clearTimeout(timer);
      timer = setTimeout(() => reject(error), milliseconds);
    };
    within(START_LIMIT, new ApiError("UNAVAILABLE", "The Markdown converter does not start"));
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if ("html" in data) return resolve(data.html);
      within(TIME_LIMIT, tooSlow());
      worker.postMessage(source);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(`Cannot convert Markdown: ${event.message}`));
    };
  });
  return outcome.finally(() => {
    clearTimeout(timer);
    worker.terminate();
  });
}

function tooSlow(): ApiError {
  return invalid(
    "markdown",
    `Cannot convert the Markdown: it takes more than ${TIME_LIMIT} ms; shorten or split it`,
  );
}
