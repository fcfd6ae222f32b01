// How a text is written in memory: a byte a character where it is ASCII, 16 bytes where it is a UUID.

// The first byte of a text: its length where it is short and ASCII, else what follows.
export const MAX_SHORT = 251;
/** 16 bytes of a UUID in lower case. */
export const PACKED = 252;
/** Four bytes of length, then ASCII. */
export const LONG = 253;
/** Four bytes of length, then UTF-8, or what that would be for half a surrogate pair. */
export const WIDE = 254;
export const UUID_BYTES = 16;
export const UUID_LENGTH = 36;

const SEED = 0x811c9dc5;

/** Where what is read ahead of its use is kept, so that it is read at all. */
export const readAhead = new Uint32Array(1);

/** What was encoded last: the first `length` bytes. One for all, since it is used up at once. */
export const encoder = { bytes: new Uint8Array(1 << 12), length: 0 };

export const DIGITS = new TextEncoder().encode("0123456789abcdef");
/** The value of each digit in lower case; -1 for other characters. */
const NIBBLES = Int8Array.from({ length: 256 }, (_, code) => DIGITS.indexOf(code));
export const DASH = 0x2d;

/** A text as the bytes by which it is compared and searched. */
export function plainBytes(text: string): Uint8Array {
  encode(text, false);
  const from = encoder.bytes[0]! <= MAX_SHORT ? 1 : 5;
  return encoder.bytes.slice(from, encoder.length);
}

/** Encodes a text, and hashes what comes out: FNV-1a, with its bits mixed once more. */
export function hashOf(text: string): number {
  encode(text, true);
  const { bytes, length } = encoder;
  if (bytes[0] === PACKED) return hashOfUuid(bytes, 1);
  let hash = SEED;
  for (let i = 0; i < length; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  return settled(hash);
}

/** `hashOf` a UUID that lies in 16 bytes, from `at` on: by words. */
export function hashOfUuid(bytes: Uint8Array, at: number): number {
  let hash = SEED;
  for (let from = at; from < at + UUID_BYTES; from += 4) {
    hash = Math.imul(hash ^ wordAt(bytes, from), 0x9e3779b1);
    // The places in a table are the low bits, which a product takes from low bits alone.
    hash ^= hash >>> 15;
  }
  return settled(hash);
}

function settled(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}

/** Writes a text into `encoder`. @param packs Whether a UUID is written in 16 bytes. */
export function encode(text: string, packs: boolean): void {
  const { length } = text;
  if (packs && length === UUID_LENGTH && packUuid(text)) return;
  if (encoder.bytes.length < 5 + 3 * length) encoder.bytes = new Uint8Array(2 * (5 + 3 * length));
  const { bytes } = encoder;
  let at = length <= MAX_SHORT ? 1 : 5;
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x80) return encodeWide(text);
    bytes[at++] = unit;
  }
  if (length <= MAX_SHORT) bytes[0] = length;
  else setHeader(LONG, length);
  encoder.length = at;
}

function encodeWide(text: string): void {
  const { bytes } = encoder;
  let at = 5;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    if (code < 0x80) bytes[at++] = code;
    else {
      if (code < 0x800) bytes[at++] = 0xc0 | code >> 6;
      else {
        if (code < 0x10000) bytes[at++] = 0xe0 | code >> 12;
        else {
          bytes[at++] = 0xf0 | code >> 18;
          bytes[at++] = 0x80 | code >> 12 & 63;
        }
        bytes[at++] = 0x80 | code >> 6 & 63;
      }
      bytes[at++] = 0x80 | code & 63;
    }
  }
  setHeader(WIDE, at - 5);
  encoder.length = at;
}

function setHeader(first: number, length: number): void {
  const { bytes } = encoder;
  bytes[0] = first;
  for (let n = 0; n < 4; n++) bytes[1 + n] = length >> 8 * n;
}

/** False when the text is no UUID in lower case. */
function packUuid(text: string): boolean {
  const { bytes } = encoder;
  let digits = 0, dashes = 0, units = 0;
  for (let i = 0, n = 0; n < UUID_BYTES; n++) {
    if (n === 4 || n === 6 || n === 8 || n === 10) dashes |= text.charCodeAt(i++) ^ DASH;
    const first = text.charCodeAt(i++), second = text.charCodeAt(i++);
    const high = NIBBLES[first & 0xff]!, low = NIBBLES[second & 0xff]!;
    units |= first | second;
    digits |= high | low;
    bytes[1 + n] = high << 4 | low;
  }
  // The digits are negative when one of them was.
  if (digits < 0 || dashes !== 0 || units > 0xff) return false;
  bytes[0] = PACKED;
  encoder.length = 1 + UUID_BYTES;
  return true;
}

/**
 * Packs a UUID in lower case that is written in ASCII, from `from` on, into 16 bytes.
 *
 * @returns False when it is none; what was written then means nothing.
 */
export function packUuidBytes(
  ascii: Uint8Array,
  from: number,
  bytes: Uint8Array,
  at: number,
): boolean {
  let digits = 0, dashes = 0;
  for (let i = from, n = 0; n < UUID_BYTES; n++) {
    if (n === 4 || n === 6 || n === 8 || n === 10) dashes |= ascii[i++]! ^ DASH;
    const high = NIBBLES[ascii[i++]!]!, low = NIBBLES[ascii[i++]!]!;
    digits |= high | low;
    bytes[at + n] = high << 4 | low;
  }
  // It is negative when one of them was.
  return digits >= 0 && dashes === 0;
}

/** Digit by digit: a table of texts for each byte is 256 objects, of which few are in the processor's caches. */
export function uuidText(bytes: Uint8Array, at: number): string {
  const high = (n: number) => DIGITS[bytes[at + n]! >> 4]!;
  const low = (n: number) => DIGITS[bytes[at + n]! & 15]!;
  // deno-fmt-ignore
  return String.fromCharCode(
    high(0), low(0), high(1), low(1), high(2), low(2), high(3), low(3), DASH,
    high(4), low(4), high(5), low(5), DASH,
    high(6), low(6), high(7), low(7), DASH,
    high(8), low(8), high(9), low(9), DASH,
    high(10), low(10), high(11), low(11), high(12), low(12),
    high(13), low(13), high(14), low(14), high(15), low(15),
  );
}

export function decodeWide(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const first = bytes[at++]!;
    const more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    let code = more === 0 ? first : first & (0x3f >> more);
    for (let n = 0; n < more; n++) code = code << 6 | bytes[at++]! & 63;
    text += String.fromCodePoint(code);
  }
  return text;
}

/** 32 bits, the lowest byte first. */
export function wordAt(bytes: Uint8Array, at: number): number {
  return bytes[at]! | bytes[at + 1]! << 8 | bytes[at + 2]! << 16 | bytes[at + 3]! << 24;
}
