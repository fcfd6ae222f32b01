// Reads an upload: multipart/form-data (RFC 7578) with one file part, streamed through and never held whole.
import type { BusboyInstance } from "@fastify/busboy";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ApiError, invalid } from "../core/errors.ts";
import { assertNotEncoded } from "./body.ts";
import { type Arrival, intake } from "./intake.ts";
import { leftovers, readerOf } from "./leftovers.ts";
import { KIB } from "../core/units.ts";

/** The file part while it arrives. */
export interface FilePart {
  /** As the client declares it; not to be trusted. */
  readonly filename: string;
  /** As the client declares it; not to be trusted. */
  readonly mimeType: string;
  readonly stream: ReadableStream<Uint8Array>;
}

export interface Form<T> {
  /** What was made of the file part; null when there was none. */
  readonly file: T | null;
  /** The other parts, as text. */
  readonly fields: Readonly<Record<string, string>>;
}

export interface FormOptions<T> {
  /** Bytes of the file part. */
  readonly maxBytes: number;
  /** Takes the file part to its end. */
  keep(part: FilePart): Promise<T>;
  /** Undoes `keep` when the rest of the form is broken. */
  discard(kept: T): Promise<void>;
}

/** Bytes that a form may have beside its file. */
const ENVELOPE_BYTES = 64 * KIB;
const LIMITS = { fieldSize: 8 * KIB, fields: 20, parts: 25, headerPairs: 20 };

/**
 * Reads the form, giving its part `file` to `keep`.
 *
 * @throws {ApiError} PAYLOAD_TOO_LARGE; VALIDATION_ERROR when it is no form, is broken or cut off, or has two files.
 * Also whatever `keep` throws. What was kept is discarded then.
 */
export async function readForm<T>(request: Request, options: FormOptions<T>): Promise<Form<T>> {
  const type = request.headers.get("content-type") ?? "";
  if (type === "" && request.body === null) return { file: null, fields: {} };
  if (!/^multipart\/form-data\s*(;|$)/i.test(type)) {
    const received = (type || "no content type").slice(0, 100);
    throw broken(`expected multipart/form-data, received '${received}'`);
  }
  assertNotEncoded(request);
  const limit = options.maxBytes + ENVELOPE_BYTES;
  if (Number(request.headers.get("content-length") ?? 0) > limit) {
    throw tooLarge(options.maxBytes);
  }
  const { body } = request;
  if (body === null) throw broken("it is empty");
  const parser = await parserFor(type);
  return await intake.reading(async (arrival) => {
    const bytes = counted(body, arrival, limit, options.maxBytes);
    return await new FormReader(parser, options, arrival.signal).read(bytes);
  });
}

/** Its library is loaded by the first upload, not by the start. */
async function parserFor(contentType: string): Promise<BusboyInstance> {
  const { Busboy } = await import("@fastify/busboy");
  try {
    const headers = { "content-type": contentType };
    return new Busboy({ headers, limits: LIMITS, preservePath: true });
  } catch {
    throw broken("the content type states no boundary");
  }
}

class FormReader<T> {
  readonly #fields: Record<string, string> = {};
  readonly #parser: BusboyInstance;
  readonly #stop = new AbortController();
  #file: Readable | null = null;
  #keeping: Promise<T> | null = null;
  /** The first thing that went wrong; errors that follow from it are not reported. */
  #problem: { readonly error: unknown } | null = null;

  constructor(parser: BusboyInstance, readonly options: FormOptions<T>, given: AbortSignal) {
    this.#parser = parser;
    given.addEventListener("abort", () => this.#fail(given.reason), { once: true });
    this.#parser
      .on("file", (name, stream, filename, _encoding, mimeType) => {
        this.#onFile(name, stream, filename, mimeType);
      })
      .on("field", (name, value, _nameCut, valueCut) => {
        if (valueCut) this.#fail(invalid(name, `must have at most ${LIMITS.fieldSize} bytes`));
        this.#fields[name] = value;
      })
      .on("fieldsLimit", () => this.#fail(broken(`it has more than ${LIMITS.fields} fields`)))
      .on("partsLimit", () => this.#fail(broken(`it has more than ${LIMITS.parts} parts`)));
  }

  async read(body: AsyncIterable<Uint8Array>): Promise<Form<T>> {
    try {
      await pipeline(body, this.#parser, { signal: this.#stop.signal });
    } catch (error) {
      this.#fail(error instanceof ApiError ? error : broken("its parts are not complete"));
    }
    const kept = await this.#keeping?.then((value) => ({ value }), () => null) ?? null;
    if (this.#problem) {
      if (kept) await this.options.discard(kept.value);
      throw this.#problem.error;
    }
    return { file: kept?.value ?? null, fields: this.#fields };
  }

  #onFile(name: string, stream: Readable, filename: string | undefined, mimeType: string): void {
    // Without a listener the error of a part that is cut off would end the process.
    stream.on("error", () => {});
    // A browser sends a nameless empty part where no file was chosen.
    if (name !== "file" || !filename) {
      stream.resume();
      return;
    }
    if (this.#keeping) {
      stream.resume();
      this.#fail(invalid("file", "Cannot take the upload: it has more than one part 'file'"));
      return;
    }
    this.#file = stream;
    // Browsers escape these three, and nothing else (the HTML standard, multipart/form-data encoding algorithm).
    this.#keeping = this.options.keep({
      filename: filename.replace(/%(22|0D|0A)/gi, decodeURIComponent),
      mimeType,
      stream: ReadableStream.from(plainBytes(stream)),
    });
    this.#keeping.catch((error) => this.#fail(error));
  }

  #fail(error: unknown): void {
    this.#problem ??= { error };
    this.#stop.abort();
    this.#file?.destroy(error instanceof Error ? error : undefined);
  }
}

async function* plainBytes(stream: Readable): AsyncIterable<Uint8Array> {
  try {
    for await (const { buffer, byteOffset, byteLength } of stream as AsyncIterable<Uint8Array>) {
      yield new Uint8Array(buffer, byteOffset, byteLength);
    }
  } catch (error) {
    throw error instanceof ApiError ? error : broken("the file is cut off");
  }
}

/** The body as it comes, up to the limit. */
async function* counted(
  body: ReadableStream<Uint8Array>,
  arrival: Arrival,
  limit: number,
  maxBytes: number,
): AsyncIterable<Uint8Array> {
  const reader = readerOf(body, arrival);
  try {
    for (let size = 0;;) {
      const { done, value } = await reader.read().catch(() => {
        throw broken("the connection ended before it did");
      });
      if (done) return;
      size += value.byteLength;
      if (size > limit) throw tooLarge(maxBytes);
      arrival.add(value.byteLength);
      yield value;
    }
  } finally {
    leftovers.take(reader);
  }
}

function tooLarge(maxBytes: number): ApiError {
  return new ApiError("PAYLOAD_TOO_LARGE", `Cannot take the file: it is over ${maxBytes} bytes`);
}

function broken(what: string): ApiError {
  return invalid("body", `Cannot read the form: ${what}`);
}
