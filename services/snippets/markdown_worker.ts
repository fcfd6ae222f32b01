// The thread that converts Markdown, one source after another. services/snippets/markdown.ts starts it when it is
// needed, and ends it when it has grown and is idle.
import { toDocument, Unconvertible } from "./markdown_html.ts";

export interface ToWorker {
  readonly id: number;
  readonly source: string;
}

/** What became of a source: a document, why there is none, or a defect of ours. */
export type Outcome = { readonly html: string } | { readonly problem: string };
export type FromWorker = { readonly id: number } & (Outcome | { readonly defect: string });

const port = self as unknown as Worker;

function convert(source: string): Outcome | { readonly defect: string } {
  try {
    return { html: toDocument(source) };
  } catch (error) {
    if (error instanceof Unconvertible) return { problem: error.message };
    return { defect: String(error) };
  }
}

port.onmessage = ({ data: { id, source } }: MessageEvent<ToWorker>) => {
  port.postMessage({ id, ...convert(source) } satisfies FromWorker);
};
