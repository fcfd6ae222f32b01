// Documents as they are written: what differs between two texts, whose text stands, and what is kept of a draft.
import assert from "node:assert/strict";
import fc from "fast-check";
import { changesOf, detailsOf } from "../../console/pages/documents/detail_values.ts";
import { diffLines, hunksOf } from "../../console/pages/documents/diff.ts";
import { keepDraft, readDraft } from "../../console/pages/documents/draft.ts";
import { type Base, taken } from "../../console/pages/documents/taking.ts";

const shown = (before: string, after: string) =>
  diffLines(before, after).map(({ change, text }) =>
    ({ same: " ", gone: "-", come: "+" })[change] + text
  );

Deno.test("diff: the lines that go and come", () => {
  assert.deepEqual(shown("a\nb\nc", "a\nx\nc"), [" a", "-b", "+x", " c"]);
  assert.deepEqual(shown("", "a"), ["+a"]);
  assert.deepEqual(shown("a", ""), ["-a"]);
  assert.deepEqual(shown("a", "a"), [" a"]);
  assert.deepEqual(shown("", ""), []);
  assert.deepEqual(shown("a\r\nb", "a\nb"), [" a", " b"]);
});

const text = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 })
  .map((lines) => lines.join("\n"));

/** The longest common subsequence, by the table of the textbooks. */
function common(one: readonly string[], other: readonly string[]): number {
  let row = new Array<number>(other.length + 1).fill(0);
  for (const line of one) {
    const next = [0];
    for (const [at, theirs] of other.entries()) {
      next.push(line === theirs ? row[at]! + 1 : Math.max(row[at + 1]!, next[at]!));
    }
    row = next;
  }
  return row.at(-1)!;
}

Deno.test("diff: without what came it is the old text, without what went the new, and no shorter one does that", () => {
  const lines = (of: string) => of === "" ? [] : of.split("\n");
  fc.assert(fc.property(text, text, (before, after) => {
    const diff = diffLines(before, after);
    const side = (change: string) => diff.filter((line) => line.change !== change);
    assert.deepEqual(side("come").map(({ text }) => text), lines(before));
    assert.deepEqual(side("gone").map(({ text }) => text), lines(after));
    const same = diff.filter(({ change }) => change === "same").length;
    assert.equal(same, common(lines(before), lines(after)));
  }));
});

Deno.test("diff: where everything differs it takes no long", () => {
  const long = (sign: string) => Array.from({ length: 20_000 }, (_, at) => sign + at).join("\n");
  const start = performance.now();
  assert.equal(diffLines(long("a"), long("b")).length, 40_000);
  assert.ok(performance.now() - start < 5000);
});

Deno.test("diff: what is far from any change is left out", () => {
  const before = Array.from({ length: 20 }, (_, at) => `line ${at}`).join("\n");
  const hunks = hunksOf(diffLines(before, before.replace("line 10", "other")), 2);
  assert.deepEqual(hunks.map(({ lines, left }) => [lines.length, left]), [[0, 8], [6, 0], [0, 7]]);
});

const base: Base = { etag: "1", content: "old", updatedAt: "2026-11-22T10:00:00.000Z" };
const newer = (content: string): Base => ({
  etag: "2",
  content,
  updatedAt: "2026-11-22T10:00:01.000Z",
});

Deno.test("a newer version: what was typed stays unless both have changed the text", () => {
  assert.deepEqual(taken(base, "mine", newer("old")), { content: "mine" });
  assert.deepEqual(taken(base, "old", newer("theirs")), { content: "theirs" });
  assert.deepEqual(taken(base, "alike", newer("alike")), { content: "alike" });
  assert.equal(taken(base, "mine", newer("theirs")), "conflict");
});

Deno.test("an answer that comes late does not take the text back", () => {
  assert.equal(taken(base, "mine", { ...base, content: "other" }), "older");
  const late = { ...newer("before"), updatedAt: "2026-11-22T09:00:00.000Z" };
  assert.equal(taken(base, "old", late), "older");
});

function memory(): Pick<Storage, "getItem" | "setItem" | "removeItem"> {
  const kept = new Map<string, string>();
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
}

Deno.test("a draft is kept for its writer and its document alone, until it is saved", () => {
  const storage = memory();
  const draft = { etag: "1", base: "old", content: "mine" };
  keepDraft(storage, "ann", "1", draft);
  assert.deepEqual(readDraft(storage, "ann", "1"), draft);
  assert.equal(readDraft(storage, "bob", "1"), null);
  assert.equal(readDraft(storage, "ann", "2"), null);
  keepDraft(storage, "ann", "1", null);
  assert.equal(readDraft(storage, "ann", "1"), null);
});

Deno.test("a draft that makes no sense, or a storage that refuses, is as none", () => {
  const storage = memory();
  for (const broken of ["{", "1", '{"etag":1}', '{"etag":"1","base":"x"}']) {
    storage.setItem("quarterdeck.draft.ann.1", broken);
    assert.equal(readDraft(storage, "ann", "1"), null);
  }
  const full = {
    ...storage,
    setItem() {
      throw new DOMException("full", "QuotaExceededError");
    },
  };
  keepDraft(full, "ann", "1", { etag: "1", base: "", content: "x" });
});

Deno.test("details: only what differs is sent, and what is emptied is removed", () => {
  const before = {
    title: "Rules",
    type: "document" as const,
    tags: [{ id: "1", name: "safety" }],
    folder: "/handbook",
    teamId: "7",
  };
  const values = detailsOf(before);
  assert.deepEqual(changesOf(values, before), {});
  assert.deepEqual(changesOf({ ...values, folder: "", teamId: "" }, before), {
    folder: null,
    teamId: null,
  });
  assert.deepEqual(changesOf({ ...values, title: "Law", tags: [] }, before), {
    title: "Law",
    tags: [],
  });
});
