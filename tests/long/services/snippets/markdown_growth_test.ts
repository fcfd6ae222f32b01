// The time that Markdown takes grows with its length alone, whatever its shape, and the event loop does not wait for it.
import assert from "node:assert/strict";
import fc from "fast-check";
import { convertMarkdown } from "../../../../services/snippets/markdown.ts";
import { toDocument } from "../../../../services/snippets/markdown_html.ts";
import { assertLinear, counted, longestHold, repeated, type Shape } from "../../../growth.ts";

const halves = (first: string, second: string): Shape => (length) =>
  repeated(first)(length / 2) + repeated(second)(length / 2);
const table = (row: string): Shape => repeated(row, { before: "|a|\n|-|\n" });
/** As deep as is converted: every level reads each line again. */
const QUOTED = "> ".repeat(48);

/** Sources that make some parsers take minutes. */
const SHAPES: Readonly<Record<string, Shape>> = {
  "a list and lazy lines": repeated("b\n", { before: "- a\n" }),
  "a quote and lazy lines": repeated("b\n", { before: "> a\n" }),
  "deep quotes and lazy lines": repeated("b\n", { before: `${QUOTED}a\n` }),
  "lines of deep quotes": repeated(`${QUOTED}a\n`),
  "lines of deep lists": repeated(`${"- ".repeat(23)}a\n`),
  "lines of too deep quotes": repeated(`${"> ".repeat(180)}a\n`),
  dashes: repeated("- ", { after: "x" }),
  "quotes that end before lazy lines": repeated("> ===\n|-|\n"),
  "headings in quotes and lazy lines": repeated("> # a\nb\n"),
  quotes: repeated(">"),
  "quotes and lists": repeated("> - "),
  "lists one by one": repeated("- a\n\n"),
  "nested lists": counted((i) => `${"  ".repeat(i % 24)}- a\n`),
  "ever deeper lists": counted((i) => `${"  ".repeat(i)}- a\n`),
  numbers: repeated("1. "),
  tasks: repeated("- [ ] a\n"),
  "opening brackets": repeated("["),
  "closing brackets": repeated("]"),
  "images without an end": repeated("!["),
  "images in links": repeated("[![a](b)](c"),
  "links without an end": repeated("[a]("),
  "targets without an end": repeated("[a](<"),
  "titles without an end": repeated('[a](b "'),
  "links within links": halves("[a", "](b)"),
  "images within images": halves("![a", "](b)"),
  "parentheses in a target": repeated("(", { before: "[a](" }),
  definitions: repeated("[a]: b\n"),
  "definitions and their uses": (length) =>
    counted((i) => `[a${i}]: b\n`)(length / 2) + counted((i) => `[a${i}]`)(length / 2),
  "one long definition, used often": (length) =>
    `[a]: /${"x".repeat(length / 2)}\n\n${"[a] ".repeat(length / 8)}`,
  "titles of definitions": repeated("c\n", { before: "[a]: b '" }),
  asterisks: repeated("*"),
  "asterisks after letters": repeated("a*"),
  "asterisks before letters": repeated("*a "),
  "asterisks and underscores": repeated("**_*"),
  "emphasis that crosses": repeated("*a_ "),
  "emphasis of many kinds": repeated("a**b_c* "),
  tildes: repeated("~~a"),
  backticks: repeated("`"),
  "rows of backticks": counted((i) => `${"`".repeat(i)} `),
  "rows of pipes": repeated("|\n"),
  "long tables": table("|a|\n"),
  "many tables": repeated("a|\n-|\n"),
  "wide tables": (length) => halves("|", "|-")(length).replace("-", "\n-"),
  "wide tables with short rows": (length) => {
    const columns = Math.floor(Math.sqrt(length));
    return `${"|a".repeat(columns)}\n${"|-".repeat(columns)}\n${"|\n".repeat(length / 4)}`;
  },
  tags: repeated("<a "),
  "attributes without an end": repeated('<a b="'),
  "attributes of one tag": repeated(" a=b", { before: "<a", after: ">" }),
  comments: repeated("a<!-- "),
  "comments behind images without an end": repeated("![--><!--"),
  "character data": repeated("a <![CDATA["),
  instructions: repeated("a <?"),
  declarations: repeated("a <!A "),
  elements: repeated("<b>", { before: "a " }),
  "elements that others close": halves("<b>", "</i>"),
  "elements within elements": repeated("<b>".repeat(190) + "</b>".repeat(190), { before: "a " }),
  "closing tags below open ones": repeated("</i>", { before: `a ${"<b>".repeat(190)}` }),
  "text that is skipped": repeated("<noscript>a</p>", { before: "a " }),
  "drawings in drawings": repeated("<svg><style>"),
  "addresses of mail": repeated("a@b.co "),
  "almost addresses": repeated("a@"),
  "addresses of pages": repeated("http://a.b/("),
  "almost pages": repeated("www."),
  "dots after an address": repeated(".", { before: "http://a.b" }),
  "words with dots": repeated("a.co."),
  entities: repeated("&"),
  "numbers of entities": repeated("&#"),
  backslashes: repeated("\\"),
  fences: repeated("```\n"),
  headings: repeated("a\n", { after: "===" }),
  rules: repeated("* * * ", { after: "a" }),
  "white space": repeated(" ", { before: "a", after: "b" }),
  tabs: repeated("-\t"),
  "empty lines": repeated("\n"),
  words: repeated("Some *ordinary* text, as people write it. "),
};

/** Characters. What is quadratic shows at less than half of what is accepted. */
const LENGTH = 96 * 1024;

for (const [name, shape] of Object.entries(SHAPES)) {
  Deno.test(`markdown: the time for ${name} grows with their length`, async () => {
    await assertLinear(name, shape, LENGTH, toDocument);
  });
}

Deno.test("markdown: the time for shapes at random grows with their length", async () => {
  const piece = fc.constantFrom(
    ...["*", "_", "~~", "`", "[", "]", "(", ")", "![", "](", "<", ">", "</", "<b>", "</b>", "<!--"],
    ...["-->", "&", "\\", "|", "-", "- ", "> ", "1. ", "#", "\n", "\n\n", " ", "    ", "\t", "a"],
    ...['"', "'", ":", "@", ".", "www.", "http://", "[a]: ", "|-|\n", "```", "===\n", "<p ", "é"],
  );
  const unit = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(""));
  const source = fc.record({ unit, before: unit, after: unit });
  await fc.assert(
    fc.asyncProperty(source, async ({ unit, before, after }) => {
      const name = JSON.stringify([before, unit, after]);
      await assertLinear(name, repeated(unit, { before, after }), LENGTH / 4, toDocument);
    }),
    { numRuns: 40 },
  );
});

Deno.test("markdown: the event loop goes on while a long source is converted", async () => {
  let least = Infinity;
  // A busy machine stops the loop now and then: one conversion that it does not disturb is enough.
  for (let i = 0; i < 30 && least > 0.5; i++) {
    const source = `${crypto.randomUUID()}\n${"![a".repeat(64 * 1024)}`;
    const started = performance.now();
    // Whoever waits is told no on a machine that is slow enough; the conversion goes on.
    const held = await longestHold(() => convertMarkdown(source, "json").catch(() => {}));
    least = Math.min(least, held / (performance.now() - started));
  }
  assert.ok(least <= 0.5, `held for ${(least * 100).toFixed(0)} % of the conversion`);
});
