// Folder paths: whatever is sent is refused or comes out in one form.
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type Document,
  documentInRow,
  documentListQuery,
  documentMove,
  documentRow,
} from "../../models/documents.ts";

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

Deno.test("documents: a row tells whose it is, whatever the ids are made of", () => {
  const id = fc.array(fc.constantFrom("a", '"', "\\", ":", ",", "}", "\n", "ü", '":"'), {
    maxLength: 6,
  })
    .map((all) => all.join(""));
  fc.assert(fc.property(id, id, fc.string(), (id, ownerId, title) => {
    const document = { id, ownerId, title, content: "secret", type: "document", size: 1 };
    const row = documentRow(document as unknown as Document);
    const { id: found, ownerId: owner } = documentInRow(row);
    assert.deepEqual([found, owner], [id, ownerId]);
    const { content: _, ...shown } = document;
    assert.deepEqual(JSON.parse(`${row}}`), shown);
  }));
});
