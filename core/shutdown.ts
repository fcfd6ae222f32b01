// Ends parts of the process one after the other, within one time limit: each is tried, even after others failed.

export interface Part {
  /** For the log, as in "Cannot close the store". */
  readonly task: string;
  /** Milliseconds from the beginning of the whole by which this part has to be done. */
  readonly by: number;
  stop(): unknown;
}

/** Milliseconds that a part gets when those before it took all of the time. */
const LEAST = 50;

/** @param failed Called for each part that throws or is not done in time. */
export async function stopAll(
  parts: readonly Part[],
  failed: (task: string, reason: string) => void,
): Promise<void> {
  const began = performance.now();
  for (const { task, by, stop } of parts) {
    const left = Math.max(LEAST, by - (performance.now() - began));
    const reason = await outcome(stop, left);
    if (reason !== null) failed(task, reason);
  }
}

/** Why it is not done; null when it is. */
async function outcome(stop: () => unknown, milliseconds: number): Promise<string | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`not done in ${Math.round(milliseconds)} ms`), milliseconds);
  });
  try {
    return await Promise.race([Promise.try(stop).then(() => null), late]);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
  }
}
