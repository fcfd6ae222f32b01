// Markdown to a complete HTML document without active content: marked renders, sanitize-html lets little through.
import { Marked } from "marked";
import sanitize from "sanitize-html";
import { MARKDOWN_STYLE } from "./markdown_style.ts";

const marked = new Marked({ gfm: true, async: false });

/** Elements deeper than this are dropped; browsers flatten at 512. */
const MAX_DEPTH = 100;

const NO_TAGS: sanitize.IOptions = { allowedTags: [], allowedAttributes: {} };

const CLEAN: sanitize.IOptions = {
  allowedTags: [
    ...["h1", "h2", "h3", "h4", "h5", "h6", "p", "blockquote", "pre", "code", "hr", "br"],
    ...["ul", "ol", "li", "dl", "dt", "dd", "details", "summary", "figure", "figcaption"],
    ...["table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"],
    ...["a", "img", "input", "strong", "b", "em", "i", "del", "s", "ins", "mark", "kbd", "samp"],
    ...["var", "sub", "sup", "small", "abbr", "cite", "q", "dfn", "time", "span", "div"],
  ],
  allowedAttributes: {
    a: ["href", "title", "rel"],
    img: ["src", "alt", "title", "width", "height"],
    input: ["type", "checked", "disabled"],
    code: [{ name: "class", values: ["language-*"] }],
    ol: ["start"],
    th: [{ name: "align", values: ["left", "center", "right"] }],
    td: [{ name: "align", values: ["left", "center", "right"] }],
    abbr: ["title"],
    details: ["open"],
    time: ["datetime"],
  },
  allowedClasses: { code: [/^language-[\w+#.-]{1,40}$/] },
  allowedSchemes: ["http", "https", "mailto", "tel"],
  allowedSchemesByTag: { img: ["http", "https"] },
  allowedSchemesAppliedToAttributes: ["href", "src"],
  allowProtocolRelative: false,
  nestingLimit: MAX_DEPTH,
  transformTags: {
    a: sanitize.simpleTransform("a", { rel: "nofollow noopener noreferrer" }),
    // Task lists: boxes that show a state and take none.
    input: (tagName, { type, checked }) => ({
      tagName,
      attribs: type === "checkbox"
        ? { type, disabled: "", ...(checked === undefined ? {} : { checked: "" }) }
        : {},
    }),
  },
  exclusiveFilter: ({ tag, attribs }) => tag === "input" && attribs.type !== "checkbox",
};

/**
 * GitHub-flavoured Markdown as a complete document.
 *
 * @throws {RangeError} The source is nested too deeply.
 */
export function toDocument(source: string): string {
  const body = sanitize(marked.parse(source) as string, CLEAN);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${titleOf(body)}</title>
<style>${MARKDOWN_STYLE}</style>
</head>
<body>
${body}</body>
</html>
`;
}

/** The text of the first heading, escaped as it came out of the sanitiser. */
function titleOf(body: string): string {
  const [, , heading = ""] = /<h([1-6])>([^]*?)<\/h\1>/.exec(body) ?? [];
  return sanitize(heading, NO_TAGS).replaceAll(/\s+/g, " ").trim().slice(0, 200) || "Document";
}
