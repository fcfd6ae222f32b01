// A server that speaks as much of S3 as backups use: it checks every signature, and fails as a test says.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { BucketSettings } from "../config/bucket.ts";
import { type Keys, signatureProblem } from "./s3_signature.ts";

/** `refuse`: the answer is this error. `cut`: no answer; `lose`: it is done, and then no answer; `half`: half of one. */
export type Fault = { readonly refuse: [status: number, code: string] } | "cut" | "lose" | "half";

export interface Seen {
  /** `PutObject`, `UploadPart`, … */
  readonly operation: string;
  readonly key: string;
}

export interface S3Server extends AsyncDisposable {
  readonly settings: BucketSettings;
  /** The variables that name it. */
  readonly env: Readonly<Record<string, string>>;
  readonly objects: Map<string, Uint8Array>;
  readonly uploads: Map<
    string,
    { readonly key: string; parts: Map<number, Uint8Array>; at: string }
  >;
  readonly seen: Seen[];
  /** Of keys that lists give at a time. */
  pageSize: number;
  /** What fails. @default nothing */
  fault: (seen: Seen) => Fault | null;
}

const KEYS: Keys = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "a secret/with+signs=",
  sessionToken: "a session/token==",
  region: "eu-test-1",
};
const BUCKET = "our-backups";
/** S3 takes no smaller part, but for the last. */
const MIN_PART = 5 * 1024 * 1024;

interface Asked {
  readonly method: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly range: string | undefined;
  readonly body: Uint8Array<ArrayBuffer>;
}

interface Reply {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
}

export async function openS3(prefix = "team/nightly/"): Promise<S3Server> {
  const server = createServer((request, response) => void serve(self, request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${BUCKET}`;
  const { accessKeyId, secretAccessKey, sessionToken, region } = KEYS;
  const self: S3Server = {
    settings: { url, name: BUCKET, prefix, region, accessKeyId, secretAccessKey, sessionToken },
    env: {
      BACKUP_S3_URL: `${url}/${prefix}?region=${region}`,
      BACKUP_S3_ACCESS_KEY_ID: accessKeyId,
      BACKUP_S3_SECRET_ACCESS_KEY: secretAccessKey,
      BACKUP_S3_SESSION_TOKEN: sessionToken!,
    },
    objects: new Map(),
    uploads: new Map(),
    seen: [],
    pageSize: 1000,
    fault: () => null,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return self;
}

async function serve(server: S3Server, request: IncomingMessage, response: ServerResponse) {
  const { method = "", url: target = "" } = request;
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = new Uint8Array(await new Blob(chunks as BlobPart[]).arrayBuffer());
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  const problem = signatureProblem({ method, target, headers, body }, KEYS, Date.now());
  const { pathname, searchParams: query } = new URL(target, "http://s3");
  const key = decodeURIComponent(pathname).slice(`/${BUCKET}/`.length);
  const asked: Asked = { method, key, query, range: headers.range, body };
  const seen = { operation: problem ?? operationOf(asked), key };
  server.seen.push(seen);
  const fault = server.fault(seen);
  if (fault === "cut") return void request.socket.destroy();
  const reply = fault !== null && typeof fault === "object"
    ? refusal(...fault.refuse)
    : problem !== null
    ? refusal(403, problem)
    : operations[seen.operation]!(server, asked);
  const lost = fault === "lose" || fault === "half" && reply.body === undefined;
  if (lost) return void request.socket.destroy();
  const bytes = typeof reply.body === "string" ? new TextEncoder().encode(reply.body) : reply.body;
  response.writeHead(reply.status, {
    ...reply.headers,
    ...(reply.status === 204 ? {} : { "content-length": String(bytes?.length ?? 0) }),
  });
  if (fault !== "half") return void response.end(bytes);
  response.write(bytes!.subarray(0, bytes!.length / 2), () => request.socket.destroy());
}

function operationOf({ method, key, query }: Asked): string {
  if (key === "") return query.has("uploads") ? "ListMultipartUploads" : "ListObjectsV2";
  if (method === "POST") return query.has("uploads") ? "CreateMultipartUpload" : "Complete";
  if (query.has("uploadId")) return method === "PUT" ? "UploadPart" : "AbortMultipartUpload";
  return { GET: "GetObject", PUT: "PutObject", DELETE: "DeleteObject" }[method] ?? "Unknown";
}

const operations: Record<string, (server: S3Server, asked: Asked) => Reply> = {
  ListObjectsV2({ objects, pageSize }, { query }) {
    const prefix = query.get("prefix") ?? "";
    const after = query.get("continuation-token") ?? "";
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const page = keys.slice(0, pageSize);
    const contents = page.map((key) =>
      `<Contents><Key>${escaped(key)}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>` +
      `<Size>${objects.get(key)!.length}</Size></Contents>`
    );
    const more = keys.length > page.length
      ? `<IsTruncated>true</IsTruncated><NextContinuationToken>${
        escaped(page.at(-1)!)
      }</NextContinuationToken>`
      : "<IsTruncated>false</IsTruncated>";
    return xml(
      `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${more}${
        contents.join("\n")
      }</ListBucketResult>`,
    );
  },
  ListMultipartUploads({ uploads }, { query }) {
    const prefix = query.get("prefix") ?? "";
    const listed = [...uploads].filter(([, { key }]) => key.startsWith(prefix)).map((
      [id, { key, at }],
    ) =>
      `<Upload><Key>${
        escaped(key)
      }</Key><UploadId>${id}</UploadId><Initiated>${at}</Initiated></Upload>`
    );
    return xml(`<ListMultipartUploadsResult>${listed.join("")}</ListMultipartUploadsResult>`);
  },
  CreateMultipartUpload({ uploads }, { key }) {
    const id = crypto.randomUUID();
    uploads.set(id, { key, parts: new Map(), at: new Date().toISOString() });
    return xml(
      `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
    );
  },
  UploadPart({ uploads }, { query, body }) {
    const upload = uploads.get(query.get("uploadId")!);
    if (!upload) return refusal(404, "NoSuchUpload");
    upload.parts.set(Number(query.get("partNumber")), body);
    return { status: 200, headers: { etag: tagOf(body) } };
  },
  Complete({ uploads, objects }, { key, query, body }) {
    const id = query.get("uploadId")!;
    const upload = uploads.get(id);
    if (!upload) return refusal(404, "NoSuchUpload");
    const text = new TextDecoder().decode(body);
    const listed = [...text.matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>("\w+")<\/ETag>/g)];
    const parts = listed.map(([, number]) => upload.parts.get(Number(number)));
    for (const [n, part] of parts.entries()) {
      if (!part || tagOf(part) !== listed[n]![2]) return refusal(400, "InvalidPart");
      if (part.length < MIN_PART && n < parts.length - 1) return refusal(400, "EntityTooSmall");
    }
    const size = parts.reduce((sum, part) => sum + part!.length, 0);
    const whole = new Uint8Array(size);
    let at = 0;
    for (const part of parts) {
      whole.set(part!, at);
      at += part!.length;
    }
    objects.set(key, whole);
    uploads.delete(id);
    return xml("<CompleteMultipartUploadResult></CompleteMultipartUploadResult>");
  },
  AbortMultipartUpload({ uploads }, { query }) {
    return uploads.delete(query.get("uploadId")!) ? { status: 204 } : refusal(404, "NoSuchUpload");
  },
  PutObject({ objects }, { key, body }) {
    objects.set(key, body);
    return { status: 200, headers: { etag: tagOf(body) } };
  },
  DeleteObject({ objects }, { key }) {
    objects.delete(key);
    return { status: 204 };
  },
  GetObject({ objects }, { key, range }) {
    const object = objects.get(key);
    if (!object) return refusal(404, "NoSuchKey");
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
    if (first === undefined) return { status: 200, body: object };
    const part = object.subarray(Number(first), Number(last) + 1);
    const told = `bytes ${first}-${Number(first) + part.length - 1}/${object.length}`;
    return { status: 206, headers: { "content-range": told }, body: part };
  },
};

function xml(body: string): Reply {
  return {
    status: 200,
    headers: { "content-type": "application/xml" },
    body: `<?xml version="1.0" encoding="UTF-8"?>\n${body}`,
  };
}

function refusal(status: number, code: string): Reply {
  const body = `<Error><Code>${code}</Code><Message>It is &lt;not&gt; well</Message></Error>`;
  return { ...xml(body), status };
}

function tagOf(bytes: Uint8Array): string {
  return `"${createHash("md5").update(bytes).digest("hex")}"`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
