// Sending a file with its progress: by XMLHttpRequest where there is one, for only that tells it there; else as a stream.
import { errorOf } from "./errors.ts";
import type { UploadFileResponse } from "./generated/types.gen.ts";
import { browser } from "./platform.ts";

export interface UploadOptions {
  /** @default the file's own */
  readonly name?: string;
  readonly folderId?: string;
  /** Makes this a new version of the file. */
  readonly fileId?: string;
  /** @param sent Bytes, at most `total`. */
  readonly onProgress?: (sent: number, total: number) => void;
  readonly signal?: AbortSignal;
}

export type Uploaded = UploadFileResponse["data"];

export interface Upstream {
  readonly baseUrl: string;
  readonly token: () => Promise<string | undefined>;
  readonly fetch: typeof fetch;
}

/** Sends as it is: that a token is refused is seen to here. */
export interface UploadUpstream extends Upstream {
  /** After the server has refused a token: another one; null where there is none. */
  readonly tokenAfter: (refused: string) => Promise<string | null>;
}

/** @throws {ApiError} */
export async function uploadTo(
  upstream: UploadUpstream,
  file: Blob,
  options: UploadOptions = {},
): Promise<Uploaded> {
  options.signal?.throwIfAborted();
  const query = new URLSearchParams();
  if (options.folderId !== undefined) query.set("folderId", options.folderId);
  if (options.fileId !== undefined) query.set("fileId", options.fileId);
  const url = `${upstream.baseUrl}/files/upload${query.size > 0 ? `?${query}` : ""}`;
  const name = options.name ?? (file instanceof File ? file.name : "file");
  const way = browser.XMLHttpRequest ? sendByXhr : sendAsStream;
  const send = (token: string | undefined) => {
    // It may have been given up while the token was renewed.
    options.signal?.throwIfAborted();
    return way(upstream, url, { file, name, token }, options);
  };
  const token = await upstream.token();
  let sent = await send(token);
  // The file is read anew: a copy of what was sent would be all of it in memory.
  const next = sent.status === 401 && token ? await upstream.tokenAfter(token) : null;
  if (next !== null) sent = await send(next);
  const { status, headers, text } = sent;
  const body = json(text);
  if (status < 200 || status > 299) {
    throw errorOf(body ?? text, new Response(null, { status, headers }));
  }
  return (body as UploadFileResponse).data;
}

/** Bytes that are read at a time. */
const PIECE = 256 * 1024;

interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Part {
  readonly file: Blob;
  readonly name: string;
  readonly token: string | undefined;
}

function sendByXhr(
  _: Upstream,
  url: string,
  { file, name, token }: Part,
  { onProgress, signal }: UploadOptions,
): Promise<Sent> {
  const { promise, resolve, reject } = deferred<Sent>();
  const request = new browser.XMLHttpRequest!();
  request.open("POST", url);
  if (token !== undefined) request.setRequestHeader("authorization", `Bearer ${token}`);
  // The form's few bytes beside the file are not told of.
  request.upload.onprogress = ({ loaded, total }) =>
    onProgress?.(Math.min(file.size, Math.max(0, loaded - (total - file.size))), file.size);
  request.onload = () =>
    resolve({
      status: request.status,
      headers: headersOf(request.getAllResponseHeaders()),
      text: request.responseText,
    });
  request.onerror = () => reject(errorOf(new Error("the upload was cut off"), undefined));
  request.onabort = () => reject(signal?.reason ?? new DOMException("Aborted", "AbortError"));
  const abort = () => request.abort();
  signal?.addEventListener("abort", abort, { once: true });
  const form = new FormData();
  form.append("file", file, name);
  request.send(form);
  return promise.finally(() => signal?.removeEventListener("abort", abort));
}

function headersOf(text: string): Headers {
  return new Headers(
    text.trim().split(/\r?\n/).filter(Boolean).map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
}

async function sendAsStream(
  { fetch }: Upstream,
  url: string,
  { file, name, token }: Part,
  { onProgress, signal }: UploadOptions,
): Promise<Sent> {
  const boundary = `quarterdeck-${crypto.randomUUID()}`;
  const headers = new Headers({ "content-type": `multipart/form-data; boundary=${boundary}` });
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
  try {
    const init = {
      method: "POST",
      headers,
      body: multipart(file, name, boundary, onProgress),
      signal,
      // Where a body is a stream, fetch asks for this: https://fetch.spec.whatwg.org/#enumdef-requestduplex
      duplex: "half",
    };
    const response = await fetch(url, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    throw errorOf(cause, undefined);
  }
}

/** The form of RFC 7578 with the file alone. */
function multipart(
  file: Blob,
  name: string,
  boundary: string,
  onProgress: UploadOptions["onProgress"],
): ReadableStream<Uint8Array> {
  const text = new TextEncoder();
  const quoted = name.replace(
    /["\r\n]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, "0").toUpperCase()}`,
  );
  const head =
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${quoted}"\r\n` +
    `content-type: ${file.type || "application/octet-stream"}\r\n\r\n`;
  let sent = 0;
  return new ReadableStream({
    start: (controller) => controller.enqueue(text.encode(head)),
    async pull(controller) {
      if (sent === file.size) {
        controller.enqueue(text.encode(`\r\n--${boundary}--\r\n`));
        return controller.close();
      }
      // Cut here: what is in memory comes out of `file.stream()` as one piece in Node and Deno.
      const piece = new Uint8Array(await file.slice(sent, sent + PIECE).arrayBuffer());
      controller.enqueue(piece);
      sent += piece.length;
      onProgress?.(sent, file.size);
    },
  });
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function deferred<T>(): {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(reason: unknown): void;
} {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((yes, no) => ([resolve, reject] = [yes, no]));
  return { promise, resolve, reject };
}
