// What GitHub's Markdown has and markdown-it's HTML lacks or spells otherwise: the boxes of task lists, and the
// alignment of cells.
import type MarkdownIt from "markdown-it";

type Token = ReturnType<InstanceType<typeof MarkdownIt>["parse"]>[number];

/** GitHub Flavored Markdown, section 5.3: a box, and white space after it. */
const BOX = /^\[([ xX])\](?=\s)/;

/** Rewrites a document's tokens in place. */
export function fitToGitHub(tokens: Token[]): void {
  for (const [i, token] of tokens.entries()) {
    if (token.type === "inline" && tokens[i - 2]?.type === "list_item_open") showBox(token);
    else if (token.type === "th_open" || token.type === "td_open") alignCell(token);
  }
}

function showBox(inline: Token): void {
  const text = inline.children?.[0];
  const box = text?.type === "text" ? BOX.exec(text.content) : null;
  if (!text || !box) return;
  const checked = box[1] === " " ? "" : " checked";
  const shown = Object.assign(Object.create(Object.getPrototypeOf(text)), text, {
    type: "html_inline",
    content: `<input type="checkbox" disabled${checked}>`,
  });
  text.content = text.content.slice(box[0].length);
  inline.children?.unshift(shown);
}

/** The sanitiser removes styles, but lets the attribute `align` through. */
function alignCell(cell: Token): void {
  const style = cell.attrGet("style");
  if (style) cell.attrs = [["align", String(style).slice("text-align:".length)]];
}
