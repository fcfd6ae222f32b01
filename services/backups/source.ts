// The bytes of a backup, wherever it is.

export interface Source extends Disposable {
  /** For messages. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** @returns Fewer bytes where it ends before. */
  read(at: number, length: number): Promise<Uint8Array>;
}

/** Those of a file. @throws {Deno.errors.NotFound} */
export async function openFile(path: string): Promise<Source> {
  const file = await Deno.open(path);
  try {
    const { size } = await file.stat();
    return {
      name: path,
      size,
      read: (at, length) => readAt(file, at, length),
      [Symbol.dispose]: () => file.close(),
    };
  } catch (error) {
    file.close();
    throw error;
  }
}

/**
 * @param into As long as what is read, or longer; for many reads one after the other. @default a new one
 * @returns Fewer bytes where the file ends before.
 */
export async function readAt(
  file: Deno.FsFile,
  at: number,
  length: number,
  into: Uint8Array = new Uint8Array(length),
): Promise<Uint8Array> {
  const bytes = into.subarray(0, length);
  await file.seek(at, Deno.SeekMode.Start);
  let filled = 0;
  while (filled < length) {
    const read = await file.read(bytes.subarray(filled));
    if (read === null) break;
    filled += read;
  }
  return bytes.subarray(0, filled);
}
