// Markdown to a complete HTML document without active content: markdown-it renders, sanitize-html lets little through.
import MarkdownIt from "markdown-it";
import sanitize from "sanitize-html";
import { MARKDOWN_STYLE } from "./markdown_style.ts";
import { fitToGitHub } from "./markdown_github.ts";
import { beginningOf } from "../../core/text.ts";
import { MIB } from "../../core/units.ts";

/**
 * Blocks within blocks: 25 lists, for a list and its item are one each. Every level reads the lines below it again, so
 * the time of the slowest source is its length times this factor.
 */
const MAX_BLOCK_DEPTH = 50;
/**
 * HTML elements within one another; browsers flatten them at 512. At each end tag the sanitiser searches all elements
 * that are open.
 */
const MAX_ELEMENT_DEPTH = 200;
/** Characters of a document: what is rendered, and all targets of links by reference, which grow with their product. */
const MAX_DOCUMENT = MIB;

type Renderer = InstanceType<typeof MarkdownIt>;
type Reference = { href: string; title: string };

/** Block tokens a source may have besides two for each of its characters; ordinary sources have fewer than two. */
const MAX_TOKENS = 1000;

/** A source that is well-formed and yet refused; the message is for whoever sent it. */
export class Unconvertible extends Error {
  override readonly name = "Unconvertible";
}

function tooDeep(): Unconvertible {
  return new Unconvertible("it is nested too deeply");
}

function tooLazy(): Unconvertible {
  return new Unconvertible("too many of its quotes go on in lines without a mark");
}

function tooLong(): Unconvertible {
  return new Unconvertible(`its document would be over ${MAX_DOCUMENT} characters`);
}

/**
 * GitHub-flavoured. markdown-it is chosen because its time grows with the length of the source alone, whatever its
 * shape, with what is bounded here: tests/long/services/snippets/markdown_growth_test.ts holds it.
 */
function createRenderer(): Renderer {
  const markdown = new MarkdownIt({ html: true, linkify: true });
  linkAsGitHub(markdown);
  markdown.renderer.rules.s_open = () => "<del>";
  markdown.renderer.rules.s_close = () => "</del>";
  // Runs before every block, so that no time is spent on what nests deeper.
  markdown.block.ruler.before("table", "depth", (state) => {
    if (state.level >= MAX_BLOCK_DEPTH) throw tooDeep();
    return false;
  });
  boundQuotes(markdown);
  findEnds(markdown);
  // markdown-it fills up rows that lack cells, so a short source of many columns and rows could make a huge table.
  markdown.core.ruler.after("block", "length", ({ tokens, src }) => {
    if (tokens.length > MAX_TOKENS + 2 * src.length) throw tooLong();
  });
  markdown.core.ruler.push("github", ({ tokens }) => fitToGitHub(tokens));
  return markdown;
}

/**
 * A quote reads all lines that may belong to it, those without a mark too, and leaves what follows its last paragraph
 * to the next block. So a heading in each of many quotes would have the rest of the source read once a quote.
 */
function boundQuotes({ block }: Renderer): void {
  /** Lines that the quotes of a source have read. */
  const read = new WeakMap<object, number>();
  block.ruler.before("table", "quotes", (state, startLine, endLine) => {
    if (state.tokens.at(-1)?.type !== "blockquote_open") return false;
    const lines = (read.get(state) ?? 0) + endLine - startLine;
    if (lines > MAX_BLOCK_DEPTH * state.bMarks.length) throw tooLazy();
    read.set(state, lines);
    return false;
  });
}

/** What begins HTML that goes on to its own end, whatever is in it, and that end (CommonMark, section 6.6). */
const ENDS = [["<!--", "-->"], ["<![CDATA[", "]]>"], ["<?", "?>"], ["<!", ">"]] as const;

/**
 * markdown-it, once it has met a comment that has no end, takes none any more, so as not to search for an end again
 * and again. Where it was only looking ahead, that is wrong for the comments before that one, and what follows them is
 * read again and again. So it is told anew at each, by where the last end of the source is.
 */
function findEnds({ inline }: Renderer): void {
  /** The last place of each end in a source. */
  const lasts = new WeakMap<object, Map<string, number>>();
  inline.ruler.before("html_inline", "ends", (state) => {
    const { src, pos } = state;
    if (src[pos] !== "<") return false;
    const [begin, end] = ENDS.find(([begin]) => src.startsWith(begin, pos)) ?? [];
    if (begin === undefined) return false;
    let last = lasts.get(state);
    if (!last) lasts.set(state, last = new Map());
    let at = last.get(end!);
    if (at === undefined) last.set(end!, at = src.lastIndexOf(end!));
    state.skipHtmlSpecial = at < pos + begin.length;
    return false;
  });
}

/**
 * GitHub Flavored Markdown, section 6.9: links what has a scheme, starts with `www.` or is an e-mail address, but not
 * a bare `readme.md`.
 */
function linkAsGitHub({ linkify }: Renderer): void {
  linkify.set({ fuzzyLink: true });
  const match = linkify.match.bind(linkify);
  linkify.match = (text) =>
    match(text)?.filter(({ schema, raw }) => schema !== "" || /^www\./i.test(raw)) ?? null;
}

const markdown = createRenderer();

/** Link definitions by label, as markdown-it keeps them; throws when all targets looked up are too long together. */
function countedReferences(): Record<string, Reference> {
  let length = 0;
  return new Proxy<Record<string, Reference>>({}, {
    get(definitions, label: string) {
      if (!Object.hasOwn(definitions, label)) return undefined;
      const { href, title } = definitions[label]!;
      length += href.length + title.length;
      if (length > MAX_DOCUMENT) throw tooLong();
      return definitions[label];
    },
  });
}

const NO_TAGS: sanitize.IOptions = { allowedTags: [], allowedAttributes: {} };

const ALLOWED: sanitize.IOptions = {
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
  transformTags: {
    a: sanitize.simpleTransform("a", { rel: "nofollow noopener noreferrer" }),
    // The boxes of task lists show a state and cannot be changed.
    input: (tagName, { type, checked }) => ({
      tagName,
      attribs: type === "checkbox"
        ? { type, disabled: "", ...(checked === undefined ? {} : { checked: "" }) }
        : {},
    }),
  },
  exclusiveFilter: ({ tag, attribs }) => tag === "input" && attribs.type !== "checkbox",
};

function clean(html: string): string {
  let depth = 0;
  return sanitize(html, {
    ...ALLOWED,
    onOpenTag() {
      if (++depth > MAX_ELEMENT_DEPTH) throw tooDeep();
    },
    onCloseTag() {
      depth--;
    },
  });
}

/**
 * GitHub-flavoured Markdown as a complete document.
 *
 * @throws {Unconvertible} The source is nested too deeply, its quotes take too long to tell apart, or its document is
 * too long.
 */
export function toDocument(source: string): string {
  const body = clean(markdown.render(source, { references: countedReferences() }));
  if (body.length > MAX_DOCUMENT) throw tooLong();
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

/** Characters of a page's title. */
const MAX_TITLE = 200;

/** The text of the first heading, escaped as it came out of the sanitiser. */
function titleOf(body: string): string {
  const [, , heading = ""] = /<h([1-6])>([^]*?)<\/h\1>/.exec(body) ?? [];
  const text = sanitize(heading, NO_TAGS).replaceAll(/\s+/g, " ").trim();
  return beginningOf(text, MAX_TITLE) || "Document";
}
