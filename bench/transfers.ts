// B1: uploads and downloads of 10 MB through the API, against the same bytes in raw chunks through a bare server.
import type { Process } from "./processes.ts";
import type { Server } from "./site.ts";

const SIZE = 10 * 1024 * 1024;

/** Downloads for each upload: one alone is so short that a garbage collection during it would distort the figure. */
const DOWNLOADS = 5;

/** Both in MiB per second. */
export interface Throughput {
  readonly upload: number;
  readonly download: number;
}

/** Milliseconds of each transfer. */
interface Times {
  readonly uploads: number[];
  readonly downloads: number[];
}

/** Stores the bytes, and tells how to fetch them again. */
type Upload = (bytes: Uint8Array<ArrayBuffer>) => Promise<() => Promise<Response>>;

export interface Transfers {
  readonly ours: Throughput;
  readonly raw: Throughput;
  /** Memory of our server in MiB, taken after each upload and its downloads. */
  readonly memories: readonly number[];
}

/** Transfers through our API, in turns with those through limits.ts, which only sets and lists chunks. */
export async function measureTransfers(
  server: Server,
  limits: Process,
  uploads: number,
): Promise<Transfers> {
  const memories: number[] = [];
  const ours: Times = { uploads: [], downloads: [] };
  const raw: Times = { uploads: [], downloads: [] };
  for (let i = 0; i < uploads; i++) {
    const bytes = randomBytes();
    await transfer(ours, bytes, throughApi(server));
    memories.push(await server.memory());
    await transfer(raw, bytes, asRawChunks(limits));
  }
  return { ours: throughput(ours), raw: throughput(raw), memories };
}

function throughApi({ origin, token }: Server): Upload {
  const headers = { authorization: `Bearer ${token}` };
  return async (bytes) => {
    const form = new FormData();
    form.set("file", new Blob([bytes]), `${crypto.randomUUID()}.bin`);
    const response = await fetch(`${origin}/api/files/upload`, {
      method: "POST",
      headers,
      body: form,
    });
    if (response.status !== 201) throw new Error(`Cannot upload: ${await response.text()}`);
    const { data } = await response.json();
    return () => fetch(`${origin}/api/files/${data.id}/download`, { headers });
  };
}

function asRawChunks({ origin }: Process): Upload {
  return async (bytes) => {
    const url = `${origin}/chunks/${crypto.randomUUID()}`;
    const response = await fetch(url, { method: "POST", body: bytes });
    await response.text();
    return () => fetch(url);
  };
}

async function transfer(
  times: Times,
  bytes: Uint8Array<ArrayBuffer>,
  upload: Upload,
): Promise<void> {
  const began = performance.now();
  const download = await upload(bytes);
  times.uploads.push(performance.now() - began);
  for (let n = 0; n < DOWNLOADS; n++) {
    const since = performance.now();
    const received = await bytesOf(await download());
    if (received !== SIZE) throw new Error(`Cannot download: received ${received} bytes`);
    times.downloads.push(performance.now() - since);
  }
}

/**
 * Reads a body piece by piece. To have all of it in one array takes longer than to send it, and three times as long where
 * its length is told, as only ours is.
 */
async function bytesOf({ body }: Response): Promise<number> {
  let size = 0;
  for await (const piece of body!) size += piece.length;
  return size;
}

function randomBytes(): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(SIZE);
  for (let at = 0; at < SIZE; at += 65_536) {
    crypto.getRandomValues(bytes.subarray(at, Math.min(at + 65_536, SIZE)));
  }
  return bytes;
}

function throughput({ uploads, downloads }: Times): Throughput {
  return { upload: rate(uploads), download: rate(downloads) };
}

/** MiB per second of the median transfer. */
function rate(milliseconds: readonly number[]): number {
  const sorted = [...milliseconds].sort((a, b) => a - b);
  return SIZE / 1024 / 1024 / (sorted[Math.floor(sorted.length / 2)]! / 1000);
}
