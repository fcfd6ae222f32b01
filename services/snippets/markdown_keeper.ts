// The thread that keeps the one that converts Markdown: it starts it when there is a source, and ends it when it has
// grown and is idle. Starting a thread stops the one that starts it for up to 30 ms; so requests never do.
import { MIB } from "../../core/units.ts";
import type { FromWorker, ToWorker } from "./markdown_worker.ts";

/** Characters after which an idle converter is ended, for it keeps up to 250 MiB of heap; one that did less stays. */
const WORN = MIB;
/** Milliseconds without a conversion after which a worn converter is ended. */
const IDLE = 10_000;

interface Converter {
  readonly worker: Worker;
  /** Ids of the sources that it has not answered yet. */
  readonly waiting: Set<number>;
  /** Characters converted so far: its heap grows with them. */
  converted: number;
}

const port = self as unknown as Worker;
/** Started at the first source, since it takes memory, and kept, since starting one takes a fifth of a second. */
let converter: Converter | undefined;
let idle: ReturnType<typeof setTimeout> | undefined;

function startConverter(): Converter {
  const worker = new Worker(import.meta.resolve("./markdown_worker.ts"), { type: "module" });
  const started: Converter = { worker, waiting: new Set(), converted: 0 };
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    started.waiting.delete(data.id);
    port.postMessage(data, "document" in data ? [data.document.buffer] : []);
    if (started.waiting.size === 0) rest(started);
  };
  // It has failed as a whole, and has ended: what it was asked for fails, and the next source starts another one.
  worker.onerror = (event) => {
    event.preventDefault();
    converter = undefined;
    for (const id of started.waiting) {
      port.postMessage({ id, defect: event.message } satisfies FromWorker);
    }
  };
  return started;
}

/** Called when nothing runs on the converter, for only then does `terminate` end it at once. Ends a worn one later. */
function rest({ worker, converted }: Converter): void {
  if (converted < WORN) return;
  idle = setTimeout(() => {
    worker.terminate();
    converter = undefined;
  }, IDLE);
}

port.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  clearTimeout(idle);
  converter ??= startConverter();
  converter.waiting.add(data.id);
  converter.converted += data.source.length;
  converter.worker.postMessage(data);
};
