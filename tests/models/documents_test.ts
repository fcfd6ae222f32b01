// Folder paths: whatever is sent is refused or comes out in one form.
import assert from "node:assert/strict";
import fc from "fast-check";
import { documentListQuery, documentMove } from "../../models/documents.ts";

/** Texts made of what paths are made of. */
const path = fc.array(
  fc.constantFrom("/", "//", ".", "..", " ", "a", "Büro", "x.y", "\\", "\n"),
  { maxLength: 12 },
).map((parts) => parts.join(""));

Deno.test("folders: an accepted path is the root, or names with one slash before each", () => {
  fc.assert(fc.property(path, (text) => {
    const result = documentMove.safeParse({ folder: text });
    if (!result.success || result.data.folder === null) return;
    const { folder } = result.data;
    const names = folder.split("/");
    assert.equal(names.shift(), "");
    assert.ok(names.length > 0);
    for (const name of names) assert.ok(name !== "" && name.trim() === name, folder);
    assert.ok(!names.includes("..") && !names.includes("."), folder);
    assert.deepEqual(documentMove.parse({ folder }), { folder });
    assert.deepEqual(documentListQuery.parse({ folder: text }).where.folder, { in: [folder] });
  }));
});

Deno.test("folders: no path with a .. is accepted", () => {
  fc.assert(fc.property(path, path, (before, after) => {
    assert.ok(!documentMove.safeParse({ folder: `${before}/../${after}` }).success);
  }));
});
