// The thread that converts Markdown, one source after another. services/snippets/markdown_keeper.ts starts and ends it.
import { toDocument, Unconvertible } from "./markdown_html.ts";
import { inFrame } from "./srcdoc.ts";

/** How a document is needed: as a string in JSON, or as the value of the attribute `srcdoc`. */
export type Form = "json" | "srcdoc";

export interface ToWorker {
  readonly id: number;
  readonly source: string;
  readonly form: Form;
}

/** What became of a source: its document in UTF-8, or why there is none. */
export type Outcome = { readonly document: Uint8Array<ArrayBuffer> } | { readonly problem: string };
/** An outcome, or a defect of ours. */
export type FromWorker = { readonly id: number } & (Outcome | { readonly defect: string });

const port = self as unknown as Worker;
const encoder = new TextEncoder();

const write: Readonly<Record<Form, (html: string) => string>> = {
  json: (html) => JSON.stringify(html),
  // A frame cannot navigate, so the links of Markdown open in a new tab.
  srcdoc: (html) => inFrame(html.replace("<head>", '<head><base target="_blank">')),
};

function convert({ source, form }: ToWorker): Outcome | { readonly defect: string } {
  try {
    return { document: encoder.encode(write[form](toDocument(source))) };
  } catch (error) {
    if (error instanceof Unconvertible) return { problem: error.message };
    return { defect: String(error) };
  }
}

port.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  const outcome = convert(data);
  // Handed over, not copied: a document may have several mebibytes.
  const handedOver = "document" in outcome ? [outcome.document.buffer] : [];
  port.postMessage({ id: data.id, ...outcome } satisfies FromWorker, handedOver);
};
