// The thread that converts Markdown, one source after another. services/threads/threads.ts starts and ends it.
import { serveThread } from "../threads/serve.ts";
import { toDocument, Unconvertible } from "./markdown_html.ts";
import { inFrame } from "./srcdoc.ts";

/** How a document is needed: as a string in JSON, or as the value of the attribute `srcdoc`. */
export type Form = "json" | "srcdoc";

export interface MarkdownTask {
  readonly source: string;
  readonly form: Form;
}

/** What became of a source: its document in UTF-8, or why there is none. */
export type Outcome = { readonly document: Uint8Array<ArrayBuffer> } | { readonly problem: string };
const encoder = new TextEncoder();

const write: Readonly<Record<Form, (html: string) => string>> = {
  json: (html) => JSON.stringify(html),
  // A frame cannot navigate, so the links of Markdown open in a new tab.
  srcdoc: (html) => inFrame(html.replace("<head>", '<head><base target="_blank">')),
};

function convert({ source, form }: MarkdownTask): Outcome {
  try {
    return { document: encoder.encode(write[form](toDocument(source))) };
  } catch (error) {
    if (error instanceof Unconvertible) return { problem: error.message };
    throw error;
  }
}

serveThread((task: MarkdownTask) => {
  const outcome = convert(task);
  // Handed over, not copied: a document may have several mebibytes.
  return { outcome, handedOver: "document" in outcome ? [outcome.document.buffer] : [] };
});
