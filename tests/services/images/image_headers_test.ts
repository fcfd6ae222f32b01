// What is read of an image before it is decoded: the largest size that the file states anywhere, and no error from any bytes.
import assert from "node:assert/strict";
import fc from "fast-check";
import { readImageHeader } from "../../../services/images/image_headers.ts";
import { bombPng, type Format, gif, picture, turnedJpeg } from "../../pictures.ts";

Deno.test("image headers: the size, as each format states it", () => {
  for (const format of ["jpeg", "png", "webp"] satisfies Format[]) {
    const header = readImageHeader(picture(37, 21, { format }));
    const mimeType = `image/${format}`;
    assert.deepEqual(header, { mimeType, width: 37, height: 21, orientation: 1, scans: 1 });
  }
  const small = { mimeType: "image/gif", width: 1, height: 1, orientation: 1, scans: 1 };
  assert.deepEqual(readImageHeader(gif()), small);
  assert.equal(readImageHeader(bombPng(60_000, 50_000))?.width, 60_000);
});

Deno.test("image headers: a frame that is larger than the screen or the canvas counts", () => {
  const screen = gif();
  // Past the header, the colours and the extension, the size of the first frame.
  new DataView(screen.buffer).setUint16(27 + 5 + 0, 60_000, true);
  assert.equal(readImageHeader(screen)?.width, 60_000);
  const inner = picture(300, 200, { format: "webp" }).subarray(12);
  const canvas = [..."RIFF\0\0\0\0WEBPVP8X"].map((one) => one.charCodeAt(0));
  const webp = Uint8Array.from([...canvas, 10, 0, 0, 0, ...new Uint8Array(10), ...inner]);
  assert.deepEqual([readImageHeader(webp)?.width, readImageHeader(webp)?.height], [300, 200]);
});

Deno.test("image headers: each scan of a JPEG counts, and so does a second frame", () => {
  const jpeg = picture(8, 8, { format: "jpeg" });
  const end = jpeg.length - 2;
  const scan = [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0];
  const scans = Uint8Array.from([...jpeg.subarray(0, end), ...scan, ...scan, 0xff, 0xd9]);
  assert.equal(readImageHeader(scans)?.scans, 3);
  const frame = [0xff, 0xc2, 0, 11, 8, 0xea, 0x60, 0xea, 0x60, 1, 1, 0x11, 0];
  const frames = Uint8Array.from([...jpeg.subarray(0, end), ...frame, 0xff, 0xd9]);
  assert.equal(readImageHeader(frames)?.height, 60_000);
});

Deno.test("image headers: the orientation of the camera, and upright for what it cannot be", () => {
  const jpeg = picture(8, 8, { format: "jpeg" });
  for (const orientation of [1, 3, 6, 8]) {
    assert.equal(readImageHeader(turnedJpeg(jpeg, orientation))?.orientation, orientation);
  }
  assert.equal(readImageHeader(turnedJpeg(jpeg, 9))?.orientation, 1);
});

Deno.test("image headers: whatever the bytes are, none is an error", () => {
  const whole = [
    ...(["jpeg", "png", "webp"] as const).map((format) => picture(9, 5, { format })),
    gif(),
    turnedJpeg(picture(8, 8, { format: "jpeg" }), 6),
  ];
  const change = fc.record({ at: fc.nat(), byte: fc.nat(255) });
  fc.assert(
    fc.property(fc.constantFrom(...whole), fc.array(change), fc.nat(), (image, changes, cut) => {
      const bytes = image.slice(0, cut % (image.length + 1));
      for (const { at, byte } of changes) if (bytes.length > 0) bytes[at % bytes.length] = byte;
      const header = readImageHeader(bytes);
      assert.ok(header === null || (header.width > 0 && header.height > 0));
    }),
    { numRuns: 2000 },
  );
});
