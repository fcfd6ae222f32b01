// A document as the value of a frame's attribute `srcdoc`.

/** HTML, section 13.1.2.3: in a quoted value, only the quote and the ampersand have a meaning of their own. */
export function inFrame(html: string): string {
  return html.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
}
