// The few requests of S3 that backups take, signed (AWS Signature Version 4), tried again where that may help.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations.html
import type { BucketSettings } from "../../config/bucket.ts";
import type { Awaitable } from "../../core/awaitable.ts";
import { delay } from "../../core/delay.ts";
import { sha256 } from "../../core/hashing.ts";
import { MIB, MINUTE, SECOND } from "../../core/units.ts";
import { collected } from "./collected.ts";
import type { Range } from "./place.ts";
import { elementsOf, textIn } from "./xml.ts";

/** What the server answered, or why there was no answer. Messages name the bucket and no key. */
export class BucketError extends Error {
  override readonly name = "BucketError";
  /** @param status Of the answer; 0 where there was none. */
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** How patient one is: whoever waits for an answer less than what goes on by itself. */
export interface Patience {
  /** Tries of each request in all. @default 5 */
  readonly tries?: number;
  /**
   * Milliseconds until an answer begins, and as many until what is read of it whole is there.
   *
   * @default 5 minutes: as long as a part takes on a slow line
   */
  readonly timeout?: number;
}

interface Asked {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  /** Of the object; empty: the bucket itself. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
}

export interface StoredObject {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
}

export interface Upload {
  readonly key: string;
  readonly uploadId: string;
  /** Milliseconds since the epoch. */
  readonly begunAt: number;
}

/** Milliseconds before the second try; twice that before each further one. */
const FIRST_PAUSE = SECOND / 2;
/** Characters of what a server says that a message repeats. */
const SHOWN = 300;
const EMPTY = new Uint8Array();
/** Bytes of an answer in XML: one of a thousand of the longest names is shorter. */
const MAX_TEXT = 8 * MIB;
/** Answers, of a thousand names each, that one list may take. */
const MAX_PAGES = 1000;

export class S3 {
  readonly #tries: number;
  readonly #timeout: number;

  constructor(readonly settings: BucketSettings, { tries = 5, timeout = 5 * MINUTE }: Patience) {
    this.#tries = tries;
    this.#timeout = timeout;
  }

  /** The objects whose keys begin with a prefix. @throws {BucketError} The list does not end. */
  async *list(prefix: string): AsyncGenerator<StoredObject> {
    let token = "";
    for (let n = 0; n < MAX_PAGES; n++) {
      const more: Record<string, string> = token === "" ? {} : { "continuation-token": token };
      const query = { "list-type": "2", prefix, ...more };
      const xml = await this.#text({ method: "GET", query });
      for (const one of elementsOf(xml, "Contents")) {
        const size = Number(textIn(one, "Size"));
        if (Number.isSafeInteger(size) && size >= 0) yield { key: textIn(one, "Key"), size };
      }
      const next = textIn(xml, "IsTruncated") === "true"
        ? textIn(xml, "NextContinuationToken")
        : "";
      if (next === "") return;
      if (next === token) break;
      token = next;
    }
    throw this.#problem(200, "Endless", "its list of objects does not end");
  }

  /** The bytes of a range; fewer where the answer breaks off or stops; null where there is no such object. */
  async read(key: string, range: Range): Promise<Uint8Array | null> {
    const stream = await this.get(key, range);
    if (!stream) return null;
    return await collected(stream, this.#within(range.end - range.start)) ?? EMPTY;
  }

  /** The bytes of a range, as they come; null where there is no such object. */
  async get(key: string, { start, end }: Range): Promise<ReadableStream<Uint8Array> | null> {
    const headers = { range: `bytes=${start}-${end - 1}` };
    try {
      const response = await this.#ask({ method: "GET", key, headers });
      if (response.status === 206 && response.body) return response.body;
      await response.body?.cancel();
      throw this.#problem(response.status, "NoRange", "it sends no part of an object");
    } catch (error) {
      if (error instanceof BucketError && error.status === 404) return null;
      throw error;
    }
  }

  async put(key: string, body: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.#text({ method: "PUT", key, body });
  }

  /** Whether it is there or not. */
  async remove(key: string): Promise<void> {
    await this.#text({ method: "DELETE", key });
  }

  /** Begins an object that is sent in parts. @returns The id of the upload. */
  async begin(key: string): Promise<string> {
    const id = textIn(
      await this.#text({ method: "POST", key, query: { uploads: "" } }),
      "UploadId",
    );
    if (id === "") throw this.#problem(200, "NoUpload", "it began no upload");
    return id;
  }

  /** @returns The entity tag, by which the upload is completed. */
  async putPart(
    { key, uploadId }: Pick<Upload, "key" | "uploadId">,
    number: number,
    body: Uint8Array<ArrayBuffer>,
  ): Promise<string> {
    const query = { partNumber: String(number), uploadId };
    const response = await this.#ask({ method: "PUT", key, query, body });
    await response.body?.cancel();
    const etag = response.headers.get("etag");
    if (etag === null) throw this.#problem(response.status, "NoTag", "it gave a part no ETag");
    return etag;
  }

  /** Makes the object of its parts. @param tags Of the parts, in order. */
  async complete(
    { key, uploadId }: Pick<Upload, "key" | "uploadId">,
    tags: readonly string[],
  ): Promise<void> {
    const parts = tags.map((tag, n) =>
      `<Part><PartNumber>${n + 1}</PartNumber><ETag>${tag}</ETag></Part>`
    );
    const body = new TextEncoder().encode(
      `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`,
    );
    const text = await this.#text({ method: "POST", key, query: { uploadId }, body });
    // It may fail after the answer has begun, which is 200 then.
    if (/<Error[>\s]/.test(text)) throw this.#refusal(200, text);
  }

  async abort({ key, uploadId }: Pick<Upload, "key" | "uploadId">): Promise<void> {
    await this.#text({ method: "DELETE", key, query: { uploadId } });
  }

  /** Uploads that were begun, and neither completed nor aborted: a thousand at most. */
  async uploads(prefix: string): Promise<Upload[]> {
    const xml = await this.#text({ method: "GET", query: { uploads: "", prefix } });
    return elementsOf(xml, "Upload").map((one) => ({
      key: textIn(one, "Key"),
      uploadId: textIn(one, "UploadId"),
      begunAt: Date.parse(textIn(one, "Initiated")),
    }));
  }

  async #text(asked: Asked): Promise<string> {
    return await this.#tried(asked, (response) => this.#textOf(response));
  }

  /** @throws {BucketError} It breaks off, stops, or is longer than it may be. */
  async #textOf({ body, status }: Response): Promise<string> {
    const bytes = body === null ? EMPTY : await collected(body, this.#within(MAX_TEXT));
    if (bytes !== null) return new TextDecoder().decode(bytes);
    throw this.#problem(status, "CutOff", "its answer breaks off, or is too long");
  }

  #within(most: number) {
    return { most, within: this.#timeout };
  }

  async #ask(asked: Asked): Promise<Response> {
    return await this.#tried(asked, (response) => response);
  }

  /**
   * @param read What is read of the answer: that is asked for again too where it breaks off.
   * @throws {BucketError} Any other answer than success, after the tries that are left.
   */
  async #tried<R>(asked: Asked, read: (response: Response) => Awaitable<R>): Promise<R> {
    for (let n = 1;; n++) {
      try {
        const response = await this.#askOnce(asked);
        if (response.ok) return await read(response);
        throw this.#refusal(response.status, await this.#textOf(response).catch(() => ""));
      } catch (error) {
        if (!mayPass(error) || n >= this.#tries) throw error;
      }
      await delay(FIRST_PAUSE * 2 ** (n - 1) * (0.5 + Math.random() / 2));
    }
  }

  async #askOnce({ method, key = "", query, headers, body = EMPTY }: Asked): Promise<Response> {
    const { url, region, accessKeyId, secretAccessKey, sessionToken } = this.settings;
    const target = new URL(key === "" ? url : `${url}/${key}`);
    for (const [name, value] of Object.entries(query ?? {})) target.searchParams.set(name, value);
    const { AwsV4Signer } = await import("aws4fetch");
    const signed = await new AwsV4Signer({
      url: target.href,
      method,
      // The server compares the bytes that arrive with it.
      headers: { ...headers, "x-amz-content-sha256": sha256(body) },
      service: "s3",
      region,
      accessKeyId,
      secretAccessKey,
      sessionToken,
    }).sign();
    const waiting = new AbortController();
    const timer = setTimeout(() => waiting.abort(new Error("it gave no answer")), this.#timeout);
    try {
      return await fetch(signed.url, {
        method,
        headers: signed.headers,
        body: method === "GET" || method === "DELETE" ? undefined : body,
        // Another address would take another signature.
        redirect: "manual",
        signal: waiting.signal,
      });
    } catch (error) {
      throw this.#unreachable(error);
    } finally {
      clearTimeout(timer);
    }
  }

  #unreachable(error: unknown): BucketError {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `Cannot reach the bucket ${this.settings.url}: ${reason}`;
    return new BucketError(0, "Unreachable", message, { cause: error });
  }

  #refusal(status: number, xml: string): BucketError {
    const code = textIn(xml, "Code") || `HTTP ${status}`;
    return this.#problem(status, code, textIn(xml, "Message").slice(0, SHOWN));
  }

  #problem(status: number, code: string, reason: string): BucketError {
    const { url } = this.settings;
    const told = reason === "" ? code : `${code}: ${reason}`;
    return new BucketError(status, code, `Cannot use the bucket ${url}: ${told}`);
  }
}

/** Whether what failed may be well the next time. 501: what the server cannot do. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof BucketError)) return false;
  const { status, code } = error;
  return status === 0 || status === 408 || status === 429 || (status >= 500 && status !== 501) ||
    code === "RequestTimeout" || code === "SlowDown" || code === "CutOff";
}
