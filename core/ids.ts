// New record ids: UUIDv7 (RFC 9562), in strictly ascending order within the process.
import { v7 } from "uuid";
import { randomBytes } from "./random.ts";

const MAX_SEQUENCE = 0xffffffff;
/** As many as a UUID has. */
const RANDOM_BYTES = 16;

let lastMs = -Infinity;
let sequence = 0;

/**
 * A new id, greater than every id this process made before: when the clock stands still or goes back, the last
 * time is used again with the next sequence number (RFC 9562, section 6.2, method 1).
 *
 * @param ms Milliseconds since the epoch.
 */
export function newId(ms: number): string {
  const random = randomBytes(RANDOM_BYTES);
  if (ms > lastMs) {
    lastMs = ms;
    sequence = firstSequence(random);
  } else if (++sequence > MAX_SEQUENCE) {
    lastMs++;
    sequence = firstSequence(random);
  }
  return v7({ msecs: lastMs, seq: sequence, random });
}

/**
 * An id for a record of the past: its order is that of the time.
 *
 * @param ms Milliseconds since the epoch.
 * @param random 16 bytes.
 */
export function idAt(ms: number, random: Uint8Array): string {
  return v7({ msecs: ms, random });
}

/** Of the first bytes, which an id does not show where it has a sequence number: the top bit is clear, to count on. */
function firstSequence([a = 0, b = 0, c = 0, d = 0]: Uint8Array): number {
  return (a << 24 | b << 16 | c << 8 | d) >>> 1;
}

/** The time in a UUIDv7, in milliseconds since the epoch; null when the id is none. */
export function timeOfId(id: string): number | null {
  if (id.length !== 36 || id[14] !== "7" || id[8] !== "-" || id[13] !== "-") return null;
  const ms = Number(`0x${id.slice(0, 8)}${id.slice(9, 13)}`);
  return Number.isNaN(ms) ? null : ms;
}
