// The page around a shared snippet: it warns that a stranger wrote it, and keeps it in a frame that can reach nothing.
import { createHash } from "node:crypto";
import { MARKDOWN_STYLE } from "../services/snippets/markdown_style.ts";

export interface SnippetPage {
  readonly kind: "html" | "markdown";
  /** The snippet's own document, as the value of the attribute `srcdoc`, in UTF-8. */
  readonly srcdoc: Uint8Array;
  /**
   * Served from SNIPPET_ORIGIN, an origin where nobody signs in. Then its scripts run at once, and there is no warning:
   * the address already says that the page is not ours.
   */
  readonly apart: boolean;
}

const STYLE = `
html, body { margin: 0; height: 100%; }
body { display: flex; flex-direction: column; }
p { margin: 0; padding: .6rem 1rem; font: 1rem/1.5 system-ui, sans-serif; color: #4a3500;
  background: #ffe9b3; border-bottom: 2px solid #b98900; }
button { font: inherit; margin-inline-start: .5rem; }
iframe { flex: 1; border: 0; width: 100%; background: #fff; }
`;

/** Setting `srcdoc` again reloads the frame, as a changed sandbox takes effect only with the next load. */
const SCRIPT = `
const frame = document.querySelector("iframe");
document.querySelector("button").addEventListener("click", ({ target }) => {
  frame.setAttribute("sandbox", "allow-scripts");
  frame.srcdoc = frame.srcdoc;
  document.querySelector("span").textContent = "Its scripts run, and can read what is typed below.";
  target.remove();
});
`;

const NOTICE = "<strong>Somebody shared this page.</strong> This site did not make it, and it " +
  "cannot sign you in: type no password and nothing private here.";

/** Values of a sandbox that let readers open links in new tabs, or let scripts run. */
const SANDBOX = { links: "allow-popups allow-popups-to-escape-sandbox", scripts: "allow-scripts" };

function hashOf(style: string): string {
  return `'sha256-${createHash("sha256").update(style).digest("base64")}'`;
}

/**
 * The policy of the page is that of its frame too: a document that comes by `srcdoc` inherits it, the sandbox included
 * (CSP 3, section 7.8; HTML, section 7.1.6). So, whether scripts run or not:
 *
 * - nothing is fetched or sent: `default-src` closes what is not named, and only `data:` and `blob:` are;
 * - no form is submitted: `form-action`, and no `allow-forms`;
 * - the frame cannot leave, by script, link or refresh: `frame-src` of the page around it holds for all that it would
 *   show. Neither can the window (no `allow-top-navigation`) nor a new one (no `allow-popups`; Markdown, which is
 *   sanitised and has no script, may open a link that the reader clicks);
 * - both are in an origin of their own, without cookies, storage or answers of the API.
 *
 * No policy closes two leaks in Chromium 156: scripts can send the probes of WebRTC, and the browser may connect to a
 * host, without a request, before it refuses to navigate there. Host names can leak out that way. So scripts stay off
 * until the reader asks for them, or are run in an origin where nobody signs in. All of this is tried in
 * tests/long/browser/snippet_test.ts.
 */
function policyOf({ kind, apart }: SnippetPage): string {
  const closed = "default-src 'none'; frame-src 'none'; form-action 'none'; base-uri 'none'";
  // No other site may embed the page and trick a reader into clicking the button (clickjacking).
  const alone = apart ? "" : "; frame-ancestors 'none'";
  if (kind === "markdown") {
    const styles = `${hashOf(STYLE)} ${hashOf(MARKDOWN_STYLE)}`;
    return `sandbox ${SANDBOX.links}; ${closed}; style-src ${styles}${alone}`;
  }
  return `sandbox ${SANDBOX.scripts}; ${closed}; script-src 'unsafe-inline' 'unsafe-eval'; ` +
    `style-src 'unsafe-inline'; img-src data: blob:; font-src data:; media-src data: blob:${alone}`;
}

/** Headers of the page, beside those of every answer. */
export function snippetPageHeaders(page: SnippetPage): Record<string, string> {
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policyOf(page),
    "cache-control": "private, no-cache",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=()",
    "referrer-policy": "no-referrer",
    "x-dns-prefetch-control": "off",
    "x-robots-tag": "noindex",
  };
}

const encoder = new TextEncoder();

/** The page in UTF-8. */
export function snippetPage({ kind, srcdoc, apart }: SnippetPage): Uint8Array<ArrayBuffer> {
  const scripts = kind === "html";
  const sandbox = !scripts ? SANDBOX.links : apart ? SANDBOX.scripts : "";
  const off = scripts
    ? ' <span>Its scripts are off.</span><button type="button">Run them</button>'
    : "";
  const before = encoder.encode(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Shared page</title>
<style>${STYLE}</style>
</head>
<body>
${
    apart
      ? ""
      : `<p role="note">${NOTICE}${off}</p>\n`
  }<iframe title="What was shared" sandbox="${sandbox}" srcdoc="`);
  const after = encoder.encode(`"></iframe>
${scripts && !apart ? `<script>${SCRIPT}</script>\n` : ""}</body>
</html>
`);
  const page = new Uint8Array(before.length + srcdoc.length + after.length);
  page.set(before);
  page.set(srcdoc, before.length);
  page.set(after, before.length + srcdoc.length);
  return page;
}
