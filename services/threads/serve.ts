// The side of a thread that does work: it answers one task after another.
import type { Answered, Asked } from "./messages.ts";

/** What became of a task. */
interface Done<R> {
  readonly outcome: R;
  /** What of the outcome is handed over instead of copied. */
  readonly handedOver?: readonly ArrayBuffer[];
  /** Whether the thread is of no more use, as when a library in it has failed. @default false */
  readonly spent?: boolean;
}

/** Called once, by the module that the thread runs. What `work` throws is a defect of ours. */
export function serveThread<T, R>(work: (task: T) => Done<R>): void {
  const port = self as unknown as Worker;
  const attempt = (task: T): Omit<Answered<R>, "id"> => {
    try {
      return work(task);
    } catch (error) {
      return { defect: String(error) };
    }
  };
  port.onmessage = ({ data: { id, task } }: MessageEvent<Asked<T>>) => {
    const answer: Answered<R> = { id, ...attempt(task) };
    port.postMessage(answer, [...answer.handedOver ?? []]);
  };
}
