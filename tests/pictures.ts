// Pictures for tests, in each format that thumbnails are made of; and what is seen in one.
import { deflateSync } from "node:zlib";
import { PhotonImage } from "@silvia-odwyer/photon-node";

export type Format = "jpeg" | "png" | "webp";

export interface Seen {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and alpha at a place, given in parts of the width and the height. */
  at(x: number, y: number): readonly number[];
}

/** Left half red, right half blue, the upper third of both white. @param alpha Of the white. */
export function picture(
  width: number,
  height: number,
  { format = "png", alpha = 255 }: { format?: Format; alpha?: number } = {},
): Uint8Array<ArrayBuffer> {
  const data = new Uint8Array(4 * width * height);
  for (let n = 0; n < width * height; n++) {
    const white = n < width * height / 3;
    const left = n % width < width / 2;
    data.set(white ? [255, 255, 255, alpha] : left ? [255, 0, 0, 255] : [0, 0, 255, 255], 4 * n);
  }
  const image = new PhotonImage(data, width, height);
  if (format === "jpeg") return new Uint8Array(image.get_bytes_jpeg(90));
  return new Uint8Array(format === "webp" ? image.get_bytes_webp() : image.get_bytes());
}

/** One red pixel, in the first of two frames. */
export function gif(): Uint8Array<ArrayBuffer> {
  return Uint8Array.fromBase64(
    "R0lGODlhAQABAIAAAP8AAAAAACH5BAAKAAAALAAAAAABAAEAAAICRAEALAAAAAABAAEAAAICTAEAOw==",
  );
}

export function see(bytes: Uint8Array): Seen {
  const image = PhotonImage.new_from_byteslice(bytes);
  const [width, height, data] = [image.get_width(), image.get_height(), image.get_raw_pixels()];
  return {
    width,
    height,
    at(x, y) {
      const from = 4 * (Math.floor(y * height) * width + Math.floor(x * width));
      return [...data.subarray(from, from + 4)];
    },
  };
}

/** A JPEG whose camera says how it was held: CIPA DC-008, tag 0x0112. */
export function turnedJpeg(jpeg: Uint8Array, orientation: number): Uint8Array<ArrayBuffer> {
  const exif = Uint8Array.from(
    [0xff, 0xe1, 0, 34, ..."Exif\0\0MM\0*"].map((one) =>
      typeof one === "string" ? one.charCodeAt(0) : one
    ).concat([0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]),
  );
  return new Uint8Array([...jpeg.subarray(0, 2), ...exif, ...jpeg.subarray(2)]);
}

/** A PNG of a few bytes that says it has this many pixels. */
export function bombPng(width: number, height: number): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(13);
  new DataView(header.buffer).setUint32(0, width);
  new DataView(header.buffer).setUint32(4, height);
  header.set([8, 6, 0, 0, 0], 8);
  const parts = [
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10),
    chunk("IHDR", header),
    chunk("IDAT", new Uint8Array(deflateSync(new Uint8Array(1000)))),
    chunk("IEND", new Uint8Array()),
  ];
  return new Uint8Array(parts.flatMap((part) => [...part]));
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const typed = new Uint8Array([...new TextEncoder().encode(type), ...data]);
  const whole = new Uint8Array(typed.length + 8);
  const view = new DataView(whole.buffer);
  view.setUint32(0, data.length);
  whole.set(typed, 4);
  view.setUint32(typed.length + 4, crc(typed));
  return whole;
}

/** CRC-32 (PNG, section 5.5). */
function crc(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? value >>> 1 ^ 0xedb88320 : value >>> 1;
  }
  return (value ^ 0xffffffff) >>> 0;
}
