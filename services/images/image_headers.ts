// What the headers of an image say of its size, read before anything is decoded: a small file can unpack to gigabytes.

/** What decoding an image takes, and how it is to be turned. */
export interface ImageHeader {
  readonly mimeType: ThumbnailSource;
  /** Pixels: the largest that any frame of the file states. */
  readonly width: number;
  readonly height: number;
  /** Exif orientation (CIPA DC-008, tag 0x0112), 1 to 8; 1 is upright. */
  readonly orientation: number;
  /** Passes over all pixels: 1 but for progressive JPEG, where a file can ask for any number. */
  readonly scans: number;
}

export type ThumbnailSource = "image/jpeg" | "image/png" | "image/webp" | "image/gif";

type Sizes = Pick<ImageHeader, "width" | "height"> & Partial<ImageHeader>;

/** @returns Null for what is none of the four formats, or ends before it says its size. */
export function readImageHeader(bytes: Uint8Array): ImageHeader | null {
  try {
    for (const [mimeType, read] of Object.entries(readers)) {
      const found = read(new Bytes(bytes));
      if (!found) continue;
      const header = { orientation: 1, scans: 1, ...found, mimeType: mimeType as ThumbnailSource };
      return header.width > 0 && header.height > 0 ? header : null;
    }
  } catch (error) {
    // It is cut off.
    if (!(error instanceof RangeError)) throw error;
  }
  return null;
}

/** @throws {RangeError} From each read beyond the end. */
class Bytes extends DataView<ArrayBufferLike> {
  constructor(readonly all: Uint8Array) {
    super(all.buffer, all.byteOffset, all.byteLength);
  }

  /** Whether the ASCII text stands there. */
  has(text: string, at: number): boolean {
    for (let n = 0; n < text.length; n++) {
      if (this.all[at + n] !== text.charCodeAt(n)) return false;
    }
    return true;
  }

  uint24(at: number): number {
    return this.getUint16(at, true) | this.getUint8(at + 2) << 16;
  }
}

const readers: Readonly<Record<ThumbnailSource, (bytes: Bytes) => Sizes | null>> = {
  "image/png": readPng,
  "image/jpeg": readJpeg,
  "image/gif": readGif,
  "image/webp": readWebp,
};

/** PNG (W3C), section 11.2.1: the header is the first chunk. */
function readPng(bytes: Bytes): Sizes | null {
  if (!bytes.has("\x89PNG\r\n\x1a\n", 0) || !bytes.has("IHDR", 12)) return null;
  return { width: bytes.getUint32(16), height: bytes.getUint32(20) };
}

/** GIF89a, sections 18 and 20: the screen, and the first frame, which is the one that is decoded. */
function readGif(bytes: Bytes): Sizes | null {
  if (!bytes.has("GIF8", 0)) return null;
  const screen = { width: bytes.getUint16(6, true), height: bytes.getUint16(8, true) };
  const flags = bytes.getUint8(10);
  let at = 13 + (flags & 0x80 ? 3 << (flags & 7) + 1 : 0);
  while (bytes.getUint8(at) === 0x21) {
    for (at += 2; bytes.getUint8(at) !== 0; at += 1 + bytes.getUint8(at));
    at++;
  }
  if (bytes.getUint8(at) !== 0x2c) return null;
  const [width, height] = [bytes.getUint16(at + 5, true), bytes.getUint16(at + 7, true)];
  return larger(screen, { width, height });
}

/** RFC 9649: the canvas, and each frame, whichever of them the decoder goes by. */
function readWebp(bytes: Bytes): Sizes | null {
  if (!bytes.has("RIFF", 0) || !bytes.has("WEBP", 8)) return null;
  let sizes: Sizes = { width: 0, height: 0 };
  for (let at = 12; at + 8 <= bytes.byteLength;) {
    const data = at + 8;
    sizes = larger(sizes, webpChunk(bytes, at, data));
    // The chunks of a frame stand within it, after its own 16 bytes.
    if (bytes.has("ANMF", at)) at = data + 16;
    else at = data + bytes.getUint32(at + 4, true) + (bytes.getUint32(at + 4, true) & 1);
  }
  return sizes;
}

function webpChunk(bytes: Bytes, at: number, data: number): Sizes {
  if (bytes.has("VP8X", at)) {
    return { width: bytes.uint24(data + 4) + 1, height: bytes.uint24(data + 7) + 1 };
  }
  if (bytes.has("ANMF", at)) {
    return { width: bytes.uint24(data + 6) + 1, height: bytes.uint24(data + 9) + 1 };
  }
  if (bytes.has("VP8L", at)) {
    const packed = bytes.getUint32(data + 1, true);
    return { width: (packed & 0x3fff) + 1, height: (packed >>> 14 & 0x3fff) + 1 };
  }
  if (bytes.has("VP8 ", at)) {
    return {
      width: bytes.getUint16(data + 6, true) & 0x3fff,
      height: bytes.getUint16(data + 8, true) & 0x3fff,
    };
  }
  return { width: 0, height: 0 };
}

/** ITU-T T.81, annex B: the largest frame, the number of scans, and what Exif says of the orientation. */
function readJpeg(bytes: Bytes): Sizes | null {
  if (!bytes.has("\xff\xd8\xff", 0)) return null;
  let sizes: Sizes = { width: 0, height: 0 };
  let orientation = 1;
  let scans = 0;
  for (let at = 2; (at = nextMarker(bytes.all, at)) >= 0;) {
    const marker = bytes.getUint8(at + 1);
    at += 2;
    if (marker === 0xd9) break;
    if (at + 2 > bytes.byteLength) break;
    if (isFrame(marker)) {
      const [height, width] = [bytes.getUint16(at + 3), bytes.getUint16(at + 5)];
      sizes = larger(sizes, { width, height });
    }
    if (marker === 0xda) scans++;
    if (marker === 0xe1 && bytes.has("Exif\0\0", at + 2)) orientation = exifOrientation(bytes, at);
    at += bytes.getUint16(at);
  }
  return { ...sizes, orientation, scans };
}

/** Start of frame, of any process: not the tables DHT, JPG and DAC, which stand among them. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/** Past the coded data, in which 0xff is followed by 0 or a restart marker. @returns -1 at the end. */
function nextMarker(bytes: Uint8Array, from: number): number {
  for (let at = from; (at = bytes.indexOf(0xff, at)) >= 0; at++) {
    const marker = bytes[at + 1];
    if (marker === undefined) return -1;
    const stuffed = marker === 0 || marker === 0xff || (marker >= 0xd0 && marker <= 0xd8);
    if (!stuffed) return at;
  }
  return -1;
}

/** @param at Where the segment's length stands. What cannot be read counts as upright. */
function exifOrientation(bytes: Bytes, at: number): number {
  const end = Math.min(bytes.byteLength, at + bytes.getUint16(at));
  const tiff = at + 8;
  if (tiff + 8 > end) return 1;
  const little = bytes.has("II", tiff);
  const entries = tiff + bytes.getUint32(tiff + 4, little);
  if (entries + 2 > end) return 1;
  const count = bytes.getUint16(entries, little);
  for (let n = 0, entry = entries + 2; n < count && entry + 12 <= end; n++, entry += 12) {
    if (bytes.getUint16(entry, little) !== 0x0112) continue;
    const value = bytes.getUint16(entry + 8, little);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

function larger(a: Sizes, b: Sizes): Sizes {
  return { width: Math.max(a.width, b.width), height: Math.max(a.height, b.height) };
}
