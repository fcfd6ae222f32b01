// Media types: decided by bytes; a claim that contradicts them is refused.
import assert from "node:assert/strict";
import fc from "fast-check";
import { ApiError } from "../../../core/errors.ts";
import { fileTypeOf, mediaTypeOf, safeContentType } from "../../../services/content/media_types.ts";
import { jpeg, pdf, png } from "../../uploads.ts";

const text = (content: string) => new TextEncoder().encode(content);
const ZIP = Uint8Array.of(0x50, 0x4b, 3, 4, 20, 0, 0, 0, 8, 0, 1, 1, 1, 1);
const DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

Deno.test("mediaTypeOf tells by the bytes, and lets a claim decide what they leave open", async () => {
  for (
    const [head, declared, expected] of [
      [png(), "image/png", "image/png"],
      [png(), "", "image/png"],
      [png(), "application/octet-stream", "image/png"],
      [png(), "text/plain", "image/png"],
      [jpeg(), "image/jpg", "image/jpeg"],
      [jpeg(), "IMAGE/JPEG; q=1", "image/jpeg"],
      [pdf(), "application/x-pdf", "application/pdf"],
      [ZIP, "application/zip", "application/zip"],
      [ZIP, DOCX, DOCX],
      [text("words"), "", "text/plain"],
      [text("a,b\n1,2\n"), "text/csv", "text/csv"],
      [text('{"a":1}'), "application/json", "application/json"],
      [Uint8Array.of(0, 1, 2, 3), "", "application/octet-stream"],
      [Uint8Array.of(0, 1, 2, 3), "text/html", "application/octet-stream"],
      [Uint8Array.of(0xc3), "", "text/plain"],
      [text("words"), "not a type", "text/plain"],
      [text("BMW, Audi and Saab\n"), "text/plain", "text/plain"],
      [text("BMI,weight\n22,70\n"), "text/csv", "text/csv"],
      [text("ID3 tags, ünïcode too"), "", "text/plain"],
      [text("MZ begins programs"), "text/markdown", "text/markdown"],
      [text("BM\0\0\0\0"), "text/plain", "image/bmp"],
      [text("<?xml version='1.0'?><a/>"), "text/plain", "application/xml"],
      [text("{\\rtf1 words}"), "text/plain", "application/rtf"],
      [pdf(), "text/plain", "application/pdf"],
      [text("words"), "text/x\r\nset-cookie: a", "text/plain"],
    ] as const
  ) {
    assert.equal(await mediaTypeOf(head, declared, null), expected, declared);
  }
});

Deno.test("mediaTypeOf refuses what contradicts or is not accepted", async () => {
  for (
    const [head, declared, accepted] of [
      [pdf(), "image/png", null],
      [text("<script>"), "image/png", null],
      [png(), "text/html", null],
      [png(), "application/pdf", null],
      [text("words"), "", ["image/png"]],
      [ZIP, "", ["image/png"]],
      [jpeg(), "", ["image/png"]],
    ] as const
  ) {
    await assert.rejects(
      async () => await mediaTypeOf(head, declared, accepted),
      (error) => error instanceof ApiError && error.status === 415,
    );
  }
});

Deno.test("mediaTypeOf reads any bytes, the start of known formats too", async () => {
  const starts = [
    [],
    [0x50, 0x4b, 3, 4],
    [0x1f, 0x8b, 8],
    [0x49, 0x44, 0x33],
    [
      0x1a,
      0x45,
      0xdf,
      0xa3,
    ],
    [0, 0, 0, 0x18, 0x66, 0x74, 0x79, 0x70],
    [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10],
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...starts),
      fc.uint8Array({ minLength: 1, maxLength: 300 }),
      async (start, rest) => {
        const type = await mediaTypeOf(Uint8Array.of(...start, ...rest), "", null);
        assert.match(type, /^[\w.+-]+\/[\w.+-]+$/);
      },
    ),
  );
});

Deno.test("safeContentType keeps browsers from running anything", () => {
  for (
    const active of [
      "text/html",
      "image/svg+xml",
      "application/xhtml+xml",
      "application/xml",
      "text/xml",
      "text/javascript",
      "application/ecmascript",
      "broken",
      "text/plain\r\nx: y",
    ]
  ) {
    assert.equal(safeContentType(active), "application/octet-stream", active);
  }
  assert.equal(safeContentType("image/png"), "image/png");
});

Deno.test("fileTypeOf tells the kinds apart", () => {
  for (
    const [mimeType, type] of [
      ["image/svg+xml", "image"],
      ["video/mp4", "video"],
      ["audio/mpeg", "audio"],
      ["application/zip", "archive"],
      ["application/x-7z-compressed", "archive"],
      ["application/pdf", "document"],
      ["text/csv", "document"],
      [DOCX, "document"],
      ["application/octet-stream", "other"],
      ["font/woff2", "other"],
    ] as const
  ) {
    assert.equal(fileTypeOf(mimeType), type, mimeType);
  }
});
