// Markdown conversion that holds up nobody else: it runs on a thread of its own, one source at a time, and its outcomes
// are kept for a while.
import { ByteBoundedMap } from "../../core/bounded_map.ts";
import { ApiError, invalid } from "../../core/errors.ts";
import { sha256 } from "../../core/hashing.ts";
import { utf8Length } from "../../core/text.ts";
import { MAX_SOURCE_BYTES } from "../../models/snippets.ts";
import { MIB } from "../../core/units.ts";
import { onThread } from "../threads/threads.ts";
import type { Form, MarkdownTask, Outcome } from "./markdown_worker.ts";

/** Milliseconds that a caller waits; the slowest source known takes one second, its turn included a few. */
const MAX_WAIT = 10_000;
/** Sources under way and waiting beyond which further ones are refused: at 256 KiB each, 4 MiB. */
const MAX_PENDING = 16;
/** Bytes of outcomes kept, so that a page that is looked at often, or a source that is refused, is converted once. */
const REMEMBERED = 16 * MIB;
/** Bytes that an outcome takes beside its text. */
const ENTRY_BYTES = 256;

const outcomes = new ByteBoundedMap<string, Outcome>(REMEMBERED);
/** By the form and the hash of the source. An entry goes when the thread has answered, not when its callers give up. */
const pending = new Map<string, Promise<Outcome>>();

/**
 * A complete HTML document without active content, in UTF-8 and in the form that is asked for, so that the event loop
 * has nothing left to do with it: a document may have a million characters.
 *
 * @throws {ApiError} PAYLOAD_TOO_LARGE over 256 KiB; VALIDATION_ERROR for what is nested too deeply, whose quotes take
 * too long to tell apart, or whose document would be too long; UNAVAILABLE when too many conversions wait, or this
 * one's turn does not come.
 */
export async function convertMarkdown(
  source: string,
  form: Form,
): Promise<Uint8Array<ArrayBuffer>> {
  assertSourceSize(source);
  const key = `${form} ${sha256(source)}`;
  const outcome = outcomes.get(key) ??
    await withinWait(pending.get(key) ?? begin(key, source, form));
  if ("document" in outcome) return outcome.document;
  throw invalid("markdown", `Cannot convert the Markdown: ${outcome.problem}`);
}

/** @throws {ApiError} PAYLOAD_TOO_LARGE */
export function assertSourceSize(source: string): void {
  const bytes = sourceBytes(source);
  if (bytes <= MAX_SOURCE_BYTES) return;
  throw new ApiError(
    "PAYLOAD_TOO_LARGE",
    `The text is over ${MAX_SOURCE_BYTES} bytes: it has ${bytes}`,
  );
}

/** Its length in UTF-8. */
export function sourceBytes(source: string): number {
  return utf8Length(source);
}

function begin(key: string, source: string, form: Form): Promise<Outcome> {
  if (pending.size >= MAX_PENDING) throw busy();
  const task = { source, form };
  const asked = { kind: "markdown" as const, task, weight: source.length };
  const made = onThread<MarkdownTask, Outcome>(asked).then((outcome) => {
    const bytes = "document" in outcome ? outcome.document.length : 2 * outcome.problem.length;
    outcomes.set(key, outcome, bytes + ENTRY_BYTES);
    return outcome;
  }).finally(() => pending.delete(key));
  pending.set(key, made);
  return made;
}

function busy(): ApiError {
  return new ApiError("UNAVAILABLE", "Too many conversions at a time: try again shortly", {
    headers: { "retry-after": "1" },
  });
}

/** Waits for an outcome, but not too long. The conversion goes on, so that asking again later finds its outcome. */
async function withinWait(outcome: Promise<Outcome>): Promise<Outcome> {
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
