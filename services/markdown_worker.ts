// One conversion on a thread of its own: services/markdown.ts starts it, and ends it when it takes too long.
import { toDocument } from "./markdown_html.ts";

/** What the worker sends: that it is loaded, then the document, or null when the source is nested too deeply. */
export type FromWorker = { readonly ready: true } | { readonly html: string | null };

const port = self as unknown as Worker;

function convert(source: string): string | null {
  try {
    return toDocument(source);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

port.onmessage = ({ data }: MessageEvent<string>) => {
  port.postMessage({ html: convert(data) } satisfies FromWorker);
};
port.postMessage({ ready: true } satisfies FromWorker);
