// The thread that makes small images of large ones, one after another. services/threads/threads.ts starts and ends it.
import { PhotonImage, resize, SamplingFilter } from "@silvia-odwyer/photon-node";
import { serveThread } from "../threads/serve.ts";
import { type ImageHeader, readImageHeader } from "./image_headers.ts";

/** What is to be made of an image. */
export interface ImageTask {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Pixels of the longer side, at most; images are never enlarged. */
  readonly size: number;
  /** `square` keeps the middle. */
  readonly shape: "whole" | "square";
}

/** Why there is none: it is no such image, has too many pixels, or is broken. */
export type Problem = "type" | "pixels" | "broken";

export type ImageOutcome =
  | { readonly image: Uint8Array<ArrayBuffer>; readonly mimeType: "image/jpeg" | "image/png" }
  | { readonly problem: Problem };

/** Pixels decoded at most: each takes four bytes, two to three times over. A photo of 24 megapixels is within. */
const MAX_PIXELS = 25_000_000;
/** Pixels of a side. */
const MAX_SIDE = 16_384;
/** Scans of a JPEG: encoders make ten, and each costs a pass over all pixels, however few bytes it has. */
const MAX_SCANS = 32;
/** Of JPEG, in percent. */
const QUALITY = 82;

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** RGBA. */
  readonly data: Uint8Array;
}

function convert({ bytes, size, shape }: ImageTask): ImageOutcome {
  const header = readImageHeader(bytes);
  if (!header) return { problem: "type" };
  const { width, height, scans } = header;
  if (width * height > MAX_PIXELS || Math.max(width, height) > MAX_SIDE || scans > MAX_SCANS) {
    return { problem: "pixels" };
  }
  try {
    return encode(turned(scaled(bytes, size, shape), header));
  } catch {
    // The decoder has given up, as it does on what is broken: it cannot be used again.
    return { problem: "broken" };
  }
}

/** Scaled so that the longer side, or of a square the shorter one, has `size` pixels; then cut. */
function scaled(bytes: Uint8Array, size: number, shape: ImageTask["shape"]): Pixels {
  const decoded = PhotonImage.new_from_byteslice(bytes);
  const [width, height] = [decoded.get_width(), decoded.get_height()];
  const side = shape === "square" ? Math.min(width, height) : Math.max(width, height);
  const factor = Math.min(1, size / side);
  const to = (length: number) => Math.max(1, Math.round(length * factor));
  const small = factor === 1
    ? decoded
    : resize(decoded, to(width), to(height), SamplingFilter.Triangle);
  const pixels = {
    width: small.get_width(),
    height: small.get_height(),
    data: small.get_raw_pixels(),
  };
  small.free();
  if (small !== decoded) decoded.free();
  return shape === "square" ? middleOf(pixels) : pixels;
}

function middleOf({ width, height, data }: Pixels): Pixels {
  const side = Math.min(width, height);
  const [left, top] = [width - side >> 1, height - side >> 1];
  const cut = new Uint8Array(4 * side * side);
  for (let row = 0; row < side; row++) {
    const from = 4 * ((top + row) * width + left);
    cut.set(data.subarray(from, from + 4 * side), 4 * row * side);
  }
  return { width: side, height: side, data: cut };
}

/** Upright: the pixels are mirrored and turned as their orientation says. */
function turned({ width, height, data }: Pixels, { orientation }: ImageHeader): Pixels {
  if (orientation === 1) return { width, height, data };
  const swapped = orientation >= 5;
  const [w, h] = swapped ? [height, width] : [width, height];
  const from = new Uint32Array(data.buffer, data.byteOffset, width * height);
  const to = new Uint32Array(width * height);
  const fromRight = [2, 3, 7, 8].includes(orientation);
  const fromBottom = [3, 4, 6, 7].includes(orientation);
  for (let y = 0; y < h; y++) {
    for (let x = 0; x < w; x++) {
      const [across, down] = swapped ? [y, x] : [x, y];
      const column = fromRight ? width - 1 - across : across;
      const row = fromBottom ? height - 1 - down : down;
      to[y * w + x] = from[row * width + column]!;
    }
  }
  return { width: w, height: h, data: new Uint8Array(to.buffer) };
}

/** PNG for what shows through anywhere, else JPEG, which is far smaller. */
function encode({ width, height, data }: Pixels): ImageOutcome {
  const image = new PhotonImage(data, width, height);
  const opaque = isOpaque(data);
  const bytes = opaque ? image.get_bytes_jpeg(QUALITY) : image.get_bytes();
  image.free();
  return {
    image: bytes as Uint8Array<ArrayBuffer>,
    mimeType: opaque ? "image/jpeg" : "image/png",
  };
}

function isOpaque(data: Uint8Array): boolean {
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return false;
  return true;
}

serveThread((task: ImageTask) => {
  const outcome = convert(task);
  const failed = "problem" in outcome;
  return {
    outcome,
    handedOver: failed ? [] : [outcome.image.buffer],
    spent: failed && outcome.problem === "broken",
  };
});
