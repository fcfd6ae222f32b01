// Names of files: what uploads declare never becomes a path, a control character or an over-long name.
import assert from "node:assert/strict";
import fc from "fast-check";
import { fileName, numbered, safeFileName, withSuffix } from "../../models/names.ts";
import { assertLinear, repeated } from "../growth.ts";

const bytes = (text: string) => new TextEncoder().encode(text).length;

Deno.test("safeFileName keeps the last part, without what is not seen", () => {
  for (
    const [declared, expected] of [
      ["report.pdf", "report.pdf"],
      ["../../etc/passwd", "passwd"],
      ["C:\\photos\\sea.jpg", "sea.jpg"],
      ["a\u0000b\r\n.txt", "ab.txt"],
      ["evil\u202egpj.exe", "evilgpj.exe"],
      ["1\u061c2.txt", "12.txt"],
      ["", "file"],
      ["..", "file"],
      ["dir/", "file"],
      [" spaced .txt ", "spaced .txt"],
      ["cafe\u0301.txt", "caf\u00e9.txt"],
      [`${"x".repeat(300)}.pdf`, `${"x".repeat(251)}.pdf`],
      [`${"🌊".repeat(100)}.pdf`, `${"🌊".repeat(62)}.pdf`],
      ["\ud800.txt", "\ufffd.txt"],
    ]
  ) {
    assert.equal(safeFileName(declared!), expected);
  }
});

Deno.test("safeFileName gives a name that fileName accepts as it is, whatever is declared", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 400 }), (declared) => {
    const name = safeFileName(declared);
    assert.equal(fileName.parse(name), name);
    assert.ok(bytes(name) <= 255);
  }));
});

Deno.test("safeFileName takes a name of any length, in a time that grows with it alone", async () => {
  assert.equal(bytes(safeFileName(`${"é".repeat(40_000)}.pdf`)), 254);
  await assertLinear("safeFileName", repeated("é", { after: ".pdf" }), 400_000, safeFileName);
});

Deno.test("withSuffix goes before the extension and stays within the limit", () => {
  assert.equal(withSuffix("report.pdf", " (copy)"), "report (copy).pdf");
  assert.equal(withSuffix("README", " (copy)"), "README (copy)");
  assert.equal(withSuffix(".gitignore", " (copy)"), ".gitignore (copy)");
  const long = withSuffix(`${"x".repeat(251)}.pdf`, " (copy)");
  assert.ok(long.endsWith(" (copy).pdf") && bytes(long) === 255);
});

Deno.test("numbered stays within the limit, and cuts between characters", () => {
  assert.equal(numbered("v1.2", 2), "v1.2 (2)");
  assert.equal(numbered("x".repeat(255), 2), `${"x".repeat(251)} (2)`);
  assert.equal(numbered("🌊".repeat(63), 10), `${"🌊".repeat(62)} (10)`);
});
