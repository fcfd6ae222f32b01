// The index of searched texts: candidates hold every row that matches, also of texts that change while it is built.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Work } from "../../../core/slices.ts";
import { TextColumn } from "../../../storage/memory/columns.ts";
import { SearchIndex } from "../../../storage/memory/search.ts";
import { SearchedTexts } from "../../../storage/memory/searched_texts.ts";
import { Texts } from "../../../storage/memory/texts.ts";

/** More than the rows that are not worth an index. */
const ROWS = 1500;
const WORDS = ["anna", "bert", "café", "中文字", "dora", "ann"];

const textOf = (n: number) => `${WORDS[n % 6]} ${WORDS[Math.floor(n / 6) % 6]}${n}`;

function indexOf(texts: readonly (string | null)[]): SearchIndex {
  const index = new SearchIndex(new SearchedTexts(new Texts(), null));
  texts.forEach((text, slot) => set(index, slot, text));
  return index;
}

function set(index: SearchIndex, slot: number, text: string | null): void {
  index.leave(slot);
  if (text !== null) index.enter(slot, () => text);
}

function finish(work: Work<void>): void {
  while (!work.next().done);
}

/** The rows found by the index; `all` when it knows no candidates. */
function found(index: SearchIndex, term: string, rows: number): number[] {
  const candidates = index.candidates(term) ?? Array.from({ length: rows }, (_, slot) => slot);
  assert.equal(new Set(candidates).size, candidates.length, "each once");
  return [...candidates].filter(index.test(term)).sort((a, b) => a - b);
}

const expected = (texts: readonly (string | null)[], term: string) =>
  texts.flatMap((text, slot) => text?.includes(term) ? [slot] : []);

const changes = fc.array(
  fc.tuple(fc.nat(ROWS + 20), fc.option(fc.nat(5000).map(textOf)), fc.nat(8)),
  { maxLength: 60 },
);

Deno.test("candidates hold every row that matches, whatever changes while and after it is built", () => {
  fc.assert(
    fc.property(changes, changes, fc.constantFrom("ann", "a1", "字", "fé 中", "t7", "bert9", "x"), (
      meanwhile,
      later,
      term,
    ) => {
      const texts: (string | null)[] = Array.from({ length: ROWS }, (_, n) => textOf(n));
      const index = indexOf(texts);
      const change = ([slot, text]: readonly [number, string | null, number]) => {
        while (texts.length < slot) set(index, texts.push(null) - 1, null);
        texts[slot] = text;
        set(index, slot, text);
      };
      const check = () => assert.deepEqual(found(index, term, texts.length), expected(texts, term));
      check();
      const work = index.build();
      let done = false;
      for (const one of meanwhile) {
        for (let n = 0; n < one[2] && !done; n++) done = work.next().done!;
        change(one);
        check();
      }
      finish(work);
      check();
      later.forEach(change);
      check();
    }),
    { numRuns: 60 },
  );
});

Deno.test("a search for a rare text looks at few rows, and indexing is interrupted all the time", () => {
  const texts = Array.from({ length: 70_000 }, (_, n) => `sailor${n} of the crew`);
  const index = indexOf(texts);
  assert.equal(index.candidates("sailor123"), null, "without an index all rows are candidates");
  assert.ok(index.stale);
  let pieces = 0;
  for (const work = index.build(); !work.next().done;) pieces++;
  assert.ok(pieces >= 2 * 70_000 / 512, `${pieces} pieces`);
  assert.ok(!index.stale);
  const candidates = index.candidates("sailor12345")!;
  assert.ok(candidates.length < 200, `${candidates.length} candidates`);
  assert.deepEqual(candidates.filter(index.test("sailor12345")), [12345]);
  assert.equal(index.candidates("crew"), null, "a text that all have names no candidates");
  assert.equal(index.candidates("ew"), null, "nor does one of two bytes");
});

Deno.test("a trigram of more than a quarter of a segment is not listed: the others name the candidates", () => {
  const texts = Array.from({ length: 6000 }, (_, n) => `${n % 3 ? "crew" : "boat"} sailor${n}`);
  const index = indexOf(texts);
  finish(index.build());
  assert.equal(index.candidates("boat sailor"), null, "each trigram of it is common");
  const candidates = index.candidates("boat sailor123")!;
  assert.ok(candidates.length <= 32, `${candidates.length} candidates`);
  assert.deepEqual(candidates.filter(index.test("boat sailor123")), [123, 1230, 1233, 1236, 1239]);
});

/** Words that are ASCII and are not, in both cases, a UUID, a long text, and none. */
const field = fc.constantFrom(
  null,
  "",
  "Anna WEBER",
  "ANNE",
  "Émile",
  "\u212Aelvin",
  "ΟΔΥΣΣΕΥΣ",
  "018cc348-cf50-7000-80fc-c94d7f1e2a3b",
  "Long ".repeat(51),
  "Long ".repeat(80) + "End",
);

Deno.test("fields that are columns are searched where they lie, as if they were joined in lower case", () => {
  const row = fc.tuple(field, field, field, field);
  const terms = fc.constantFrom(
    "ann",
    "anna weber",
    "é",
    "kelvin",
    "σσε",
    "8cc348-cf",
    "g end",
    "e",
  );
  fc.assert(
    fc.property(
      fc.array(row, { minLength: 1, maxLength: 40 }),
      fc.array(fc.tuple(fc.nat(39), fc.option(row)), { maxLength: 40 }),
      terms,
      (rows, later, term) => {
        const texts = new Texts();
        const columns = Array.from({ length: 4 }, () => new TextColumn(texts));
        const index = new SearchIndex(new SearchedTexts(texts, columns));
        const joined: (string | null)[] = [];
        const enter = (slot: number, fields: readonly (string | null)[] | null) => {
          index.leave(slot);
          columns.forEach((column, n) => column.set(slot, fields && fields[n]!));
          const text = joined[slot] = fields &&
            fields.map((value) => value ?? "").join("\u001f").toLowerCase();
          if (text !== null) index.enter(slot, () => text);
        };
        // Enough of them to be indexed.
        for (let slot = 0; slot < ROWS; slot++) enter(slot, rows[slot % rows.length]!);
        const check = () => {
          const candidates = index.candidates(term) ?? joined.keys().toArray();
          const found = candidates.filter((slot) => joined[slot] !== null).filter(index.test(term));
          assert.deepEqual(found.sort((a, b) => a - b), expected(joined, term));
        };
        check();
        finish(index.build());
        check();
        for (const [slot, fields] of later) enter(slot, fields);
        check();
      },
    ),
    { numRuns: 100 },
  );
});

Deno.test("of the rows that changed few are candidates; when they are many, their segment is indexed anew", () => {
  const texts = Array.from({ length: 6000 }, (_, n) => `sailor${n}`);
  const index = indexOf(texts);
  finish(index.build());
  for (let slot = 0; slot < 1024; slot++) set(index, slot, `pirate${slot}`);
  assert.ok(!index.stale);
  const changed = index.candidates("pirate1023")!;
  assert.ok(changed.length <= 32, `${changed.length} candidates`);
  assert.deepEqual(changed.filter(index.test("pirate1023")), [1023]);
  assert.deepEqual(index.candidates("corsair"), []);
  set(index, 1024, "pirate1024");
  assert.ok(index.stale);
  finish(index.build());
  const candidates = index.candidates("pirate1024")!;
  assert.ok(candidates.length <= 32, `${candidates.length} candidates`);
  assert.deepEqual(candidates.filter(index.test("pirate1024")), [1024]);
  assert.deepEqual(index.candidates("sailor77")!.filter(index.test("sailor77")), []);
});

Deno.test("of a long segment an eighth may change before it is indexed anew", () => {
  const index = indexOf(Array.from({ length: 20_000 }, (_, n) => `sailor${n}`));
  finish(index.build());
  for (let slot = 0; slot < 2500; slot++) set(index, slot, `pirate${slot}`);
  assert.ok(!index.stale);
  const changed = index.candidates("pirate2499")!;
  assert.ok(changed.length <= 32, `${changed.length} candidates`);
  assert.deepEqual(changed.filter(index.test("pirate2499")), [2499]);
  set(index, 2500, "pirate2500");
  assert.ok(index.stale);
});

Deno.test("a row that changes again and again is found by its last text", () => {
  const index = indexOf(Array.from({ length: ROWS }, (_, n) => `sailor${n}`));
  finish(index.build());
  for (const text of ["pirate7", "admiral8", null, "purser9"]) set(index, 40, text);
  const matching = (term: string) => index.candidates(term)!.filter(index.test(term));
  assert.deepEqual(matching("purser9"), [40]);
  assert.deepEqual(matching("pirate7"), []);
  assert.deepEqual(matching("sailor40").filter((slot) => slot === 40), []);
});
