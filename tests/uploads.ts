// Files to upload in tests, and ways to look at what is stored.
import { contents, type File as StoredFile, files, storageUsage } from "../models/files.ts";
import type { Account, Harness } from "./harness.ts";

const encoder = new TextEncoder();

/** The smallest PNG, then whatever makes it another. */
export function png(rest = ""): Uint8Array<ArrayBuffer> {
  const image = Uint8Array.fromBase64(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  );
  return join(image, encoder.encode(rest));
}

export function jpeg(): Uint8Array<ArrayBuffer> {
  return join(Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 16), encoder.encode("JFIF\0"));
}

export function pdf(text = "test"): Uint8Array<ArrayBuffer> {
  return join(encoder.encode(`%PDF-1.7\n% ${text}\n%%EOF\n`), new Uint8Array());
}

function join(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}

export interface FormFile {
  readonly bytes?: Uint8Array<ArrayBuffer>;
  readonly name?: string;
  readonly type?: string;
  readonly fields?: Readonly<Record<string, string>>;
}

/** A form with the part `file`. */
export function form(
  { bytes = png(), name = "picture.png", type = "image/png", fields = {} }: FormFile = {},
): FormData {
  const data = new FormData();
  for (const [field, value] of Object.entries(fields)) data.set(field, value);
  data.set("file", new File([bytes], name, { type }));
  return data;
}

/** Uploads; the answer must be a success. */
export async function upload(h: Harness, as: Account, file: FormFile = {}): Promise<StoredFile> {
  const reply = await h.ask("POST", "/api/files/upload", { as, body: form(file) });
  if (reply.status !== 201) throw new Error(`The upload failed: ${reply.text}`);
  return reply.data;
}

/** The bytes of an answer, past the harness, which reads texts. */
export async function bytesAt(h: Harness, as: Account, path: string): Promise<Uint8Array> {
  const headers = { authorization: `Bearer ${h.tokens[as]}` };
  const response = await h.app.fetch(new Request(`http://localhost${path}`, { headers }));
  if (!response.ok) throw new Error(`${response.status} from ${path}: ${await response.text()}`);
  return await response.bytes();
}

/** Everything stored: blobs, references by SHA-256, and bytes by owner. */
export async function stored({ store }: Pick<Harness, "store">) {
  const blobs = (await Array.fromAsync(store.blobs.list())).map(({ id }) => id);
  const content = await Array.fromAsync(store.from(contents).scan());
  const usage = await Array.fromAsync(store.from(storageUsage).scan());
  return {
    files: await store.from(files).count(),
    blobs,
    references: Object.fromEntries(content.map(({ id, references }) => [id, references])),
    blobIds: content.map(({ blobId }) => blobId),
    used: Object.fromEntries(usage.map(({ id, used }) => [id, used])),
  };
}
