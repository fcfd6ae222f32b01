// B1: uploads and downloads of 10 MB through the API, against the same bytes in raw chunks through a bare server.

const SIZE = 10 * 1024 * 1024;

/** MiB a second. */
export interface Throughput {
  readonly upload: number;
  readonly download: number;
}

/** Through the API. */
export function measureTransfers(
  origin: string,
  token: string,
  times: number,
): Promise<Throughput> {
  const headers = { authorization: `Bearer ${token}` };
  return measure(times, async (bytes, i) => {
    const form = new FormData();
    form.set("file", new Blob([bytes]), `measured-${i}.bin`);
    const response = await fetch(`${origin}/api/files/upload`, {
      method: "POST",
      headers,
      body: form,
    });
    if (response.status !== 201) throw new Error(`Cannot upload: ${await response.text()}`);
    const { data } = await response.json();
    return () => fetch(`${origin}/api/files/${data.id}/download`, { headers });
  });
}

/** Through limits.ts: chunks set and listed, nothing else. */
export function measureRawChunks(origin: string, times: number): Promise<Throughput> {
  return measure(times, async (bytes) => {
    const url = `${origin}/chunks/${crypto.randomUUID()}`;
    const response = await fetch(url, { method: "POST", body: bytes });
    await response.text();
    return () => fetch(url);
  });
}

/** @param upload Stores the bytes, and tells how to fetch them again. */
async function measure(
  times: number,
  upload: (bytes: Uint8Array<ArrayBuffer>, i: number) => Promise<() => Promise<Response>>,
): Promise<Throughput> {
  const uploads: number[] = [];
  const downloads: number[] = [];
  for (let i = 0; i < times; i++) {
    const bytes = randomBytes();
    const began = performance.now();
    const download = await upload(bytes, i);
    uploads.push(performance.now() - began);

    const since = performance.now();
    const { byteLength } = await (await download()).arrayBuffer();
    if (byteLength !== SIZE) throw new Error(`Cannot download: received ${byteLength} bytes`);
    downloads.push(performance.now() - since);
  }
  return { upload: throughput(uploads), download: throughput(downloads) };
}

function randomBytes(): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(SIZE);
  for (let at = 0; at < SIZE; at += 65_536) {
    crypto.getRandomValues(bytes.subarray(at, Math.min(at + 65_536, SIZE)));
  }
  return bytes;
}

function throughput(milliseconds: readonly number[]): number {
  const sorted = [...milliseconds].sort((a, b) => a - b);
  return SIZE / 1024 / 1024 / (sorted[Math.floor(sorted.length / 2)]! / 1000);
}
