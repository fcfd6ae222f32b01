// Advisory locks on files, which the system releases when their process ends.

/** Milliseconds to wait for a lock, where Deno cannot just try for it. */
const LOCK_WAIT = 500;

/** Deno before 2.6 can only wait for a lock: one that is not free within `LOCK_WAIT` counts as held by another. */
export async function tryLock(file: Deno.FsFile, exclusive: boolean): Promise<boolean> {
  if (typeof file.tryLock === "function") return await file.tryLock(exclusive);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const taken = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), LOCK_WAIT);
  });
  const locked = await Promise.race([file.lock(exclusive).then(() => true), taken]);
  clearTimeout(timer);
  return locked;
}

/** Someone else does what only one may do at a time. */
export class Busy extends Error {
  override readonly name = "Busy";
}

/**
 * Locks a file, which is made where it is not there, until what is returned is disposed of.
 *
 * @throws {Busy} With the message.
 */
export async function heldLock(path: string, message: string): Promise<Disposable> {
  const file = await Deno.open(path, { read: true, write: true, create: true, mode: 0o600 });
  if (await tryLock(file, true)) return { [Symbol.dispose]: () => file.close() };
  file.close();
  throw new Busy(message);
}
