// Markdown as it reads: converted and cleaned by the server, then built anew here of the elements that are known, so that
// nothing of a document runs or is loaded in the console.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { convertMarkdown } from "../../../client/mod.ts";
import { CodeBlock } from "../../parts/code.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { serves } from "../../state/place.ts";
import { useQuery } from "../../state/query.ts";
import { documentTexts } from "./document_texts.ts";

/** Milliseconds without a key after which the preview follows. */
const PAUSE = 300;

interface MarkdownProps {
  readonly source: string;
  /** Whether it is written just now: then it follows when the typing rests. */
  readonly live?: boolean;
}

export function Markdown({ source, live = false }: MarkdownProps) {
  const settled = useSettled(source, live ? PAUSE : 0);
  const shown = serves("snippets");
  const { data, error, refetch, isFetching } = useQuery(
    ["markdown", settled],
    async (signal) => (await convertMarkdown({ body: { markdown: settled }, signal })).html ?? "",
    { enabled: shown && settled.trim() !== "" },
  );
  const nodes = useMemo(() => data === undefined ? null : contentOf(data), [data]);
  if (settled.trim() === "") return null;
  if (!shown) return <CodeBlock text={source} />;
  if (error) return <Problem compact error={error} retry={() => refetch()} busy={isFetching} />;
  return nodes ? <div class="prose" dir="auto">{nodes}</div> : <Skeleton lines={8} />;
}

/** The value, once it has not changed for so long. */
function useSettled(value: string, pause: number): string {
  const [settled, settle] = useState(value);
  useEffect(() => {
    if (pause === 0) return settle(value);
    const timer = setTimeout(() => settle(value), pause);
    return () => clearTimeout(timer);
  }, [value, pause]);
  return settled;
}

/** Elements that stand for themselves. */
const KEPT = new Set([
  ...["p", "blockquote", "hr", "br", "ul", "ol", "li", "dl", "dt", "dd", "details", "summary"],
  ...["figure", "figcaption", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"],
  ...["strong", "b", "em", "i", "del", "s", "ins", "mark", "kbd", "samp", "var", "sub", "sup"],
  ...["small", "abbr", "cite", "q", "dfn", "span", "div", "code"],
]);

/** Under the title of the page. */
const HEADINGS: Readonly<Record<string, "h2" | "h3" | "h4" | "h5" | "h6">> = {
  h1: "h2",
  h2: "h3",
  h3: "h4",
  h4: "h5",
  h5: "h6",
  h6: "h6",
};

const SCHEMES = new Set(["http:", "https:", "mailto:", "tel:"]);

/** @param html A document; its style sheet is left where it is, for the policy of this page holds while it is parsed. */
function contentOf(html: string): ComponentChildren {
  const body = html.slice(html.indexOf("<body>"));
  return childrenOf(new DOMParser().parseFromString(body, "text/html").body);
}

function childrenOf(element: Element): ComponentChildren[] {
  return [...element.childNodes].map((node, at) =>
    node instanceof Element ? built(node, at) : node instanceof Text ? node.data : null
  );
}

function built(element: Element, key: number): ComponentChildren {
  const name = element.localName;
  const Heading = HEADINGS[name];
  if (Heading) return <Heading key={key}>{childrenOf(element)}</Heading>;
  switch (name) {
    case "a":
      return <Link key={key} href={element.getAttribute("href")}>{childrenOf(element)}</Link>;
    case "img":
      return <Picture key={key} element={element} />;
    case "input":
      return <Task key={key} done={element.hasAttribute("checked")} />;
    case "pre":
      return <CodeBlock key={key} text={(element.textContent ?? "").replace(/\n$/, "")} />;
    case "table":
      return (
        <div
          key={key}
          class="prose-table"
          role="group"
          aria-label={documentTexts().edit.tableLabel}
          tabIndex={0}
        >
          <table>{childrenOf(element)}</table>
        </div>
      );
  }
  if (!KEPT.has(name)) return childrenOf(element);
  const Kept = name as "span";
  const start = name === "ol" ? { start: Number(element.getAttribute("start") ?? 1) } : {};
  const align = element.getAttribute("align");
  return (
    <Kept key={key} {...start as object} class={align ? `prose-${align}` : undefined}>
      {element.childNodes.length > 0 ? childrenOf(element) : undefined}
    </Kept>
  );
}

interface LinkProps {
  readonly href: string | null;
  readonly children: ComponentChildren;
}

function Link({ href, children }: LinkProps) {
  const url = href === null ? null : URL.parse(href, location.href);
  if (!url || !SCHEMES.has(url.protocol)) return <span>{children}</span>;
  return <a href={url.href} target="_blank" rel="nofollow noopener noreferrer">{children}</a>;
}

/** A link to the picture: the console loads nothing from elsewhere. */
function Picture({ element }: { readonly element: Element }) {
  const name = element.getAttribute("alt") || documentTexts().edit.image;
  return (
    <Link href={element.getAttribute("src")}>
      <span class="prose-image">
        <Icon name="image" size={14} />
        {name}
      </span>
    </Link>
  );
}

function Task({ done }: { readonly done: boolean }) {
  const { taskDone, taskOpen } = documentTexts().edit;
  return (
    <input
      type="checkbox"
      class="check prose-task"
      checked={done}
      disabled
      aria-label={done ? taskDone : taskOpen}
    />
  );
}
