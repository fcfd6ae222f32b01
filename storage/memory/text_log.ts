// Texts by number outside of V8's heap, in a log of segments: what goes leaves no gaps of its own length behind, and
// room is made a segment at a time.
import { Buffer } from "node:buffer";
import { KIB } from "../../core/units.ts";
import { grown } from "./column.ts";
import { readAhead } from "./text_bytes.ts";

/** Bytes of a segment; a longer text gets one of its own. */
const SEGMENT = 256 * KIB;
/** The share of all bytes that one segment may take, where they are few. */
const MAX_SHARE = 1 / 16;
/** Bytes of the first segment; each further one is twice as long, up to `SEGMENT`. */
const FIRST_SEGMENT = KIB;
/** Ahead of each text, in whole words: its number; its length in bytes, doubled, and one more where it is not ASCII. */
const HEAD = 2;
const WORD = 4;
/** UTF-8 takes so many bytes for a unit of UTF-16 at most. */
const MAX_UNIT = 3;
/** The largest share of the bytes that texts which are gone may take. */
const MAX_DEAD = 1 / 4;
/** The largest share of a segment whose texts are kept when room is made. */
const MAX_KEPT = 1 / 2;

interface Segment {
  /** The same bytes three times: what reads and writes them fastest. */
  readonly buffer: Buffer;
  readonly bytes: Uint8Array;
  readonly words: Uint32Array;
  /** Words that are in use. */
  end: number;
  /** Words of texts that are gone. */
  dead: number;
}

/** The place of a number that has no text. */
const NONE = 0;
/** Bits of a place that tell the word: a text begins within the first `SEGMENT` bytes of its segment. */
const WORD_BITS = 16;
const WORD_MASK = (1 << WORD_BITS) - 1;

/** Words of a line of the processor's cache, and of a usual text with its head. */
const LINE = 16, USUAL = 80;

export class TextLog {
  /** Null: an index to be given anew. */
  readonly #segments: (Segment | null)[] = [];
  /** The index of the segment that is written to; below zero: none. */
  #open = -1;
  /** By number: its place, which is the index of its segment, plus one, above the word there. */
  #places = new Uint32Array(64);
  /** By number: 1 when the text was asked for since room was last made in its segment. */
  #used = new Uint8Array(64);
  #bytes = 0;
  #dead = 0;
  /** The segment that makes room next. */
  #hand = 0;
  readonly #segmentBytes: number;

  /** @param maxBytes What all texts may take: segments are shorter where it is little. */
  constructor(maxBytes: number) {
    const share = Math.min(SEGMENT, maxBytes * MAX_SHARE);
    this.#segmentBytes = Math.max(FIRST_SEGMENT, Math.floor(share / WORD) * WORD);
  }

  /** Bytes of all segments. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How many bytes more the segments would take with this text. */
  needs(text: string): number {
    const words = this.#wordsOf(text);
    return this.#fits(words) ? 0 : this.#capacityFor(words);
  }

  get(number: number): string | null {
    const place = this.#places[number];
    if (place === undefined || place === NONE) return null;
    this.#used[number] = 1;
    const { buffer, words } = this.#segmentAt(place), word = place & WORD_MASK;
    const size = words[word + 1]!, start = (word + HEAD) * WORD;
    return buffer.toString(size & 1 ? "utf8" : "latin1", start, start + (size >>> 1));
  }

  /** `get` of several. What each reads is read ahead: memory is then waited for once, and not text by text. */
  getAll(numbers: readonly number[]): (string | null)[] {
    let read = 0;
    for (const number of numbers) {
      const place = this.#places[number];
      if (place === undefined || place === NONE) continue;
      const { words } = this.#segmentAt(place), head = place & WORD_MASK;
      for (let word = head; word < head + USUAL; word += LINE) read |= words[word]!;
    }
    readAhead[0] = read;
    const texts: (string | null)[] = [];
    for (let n = 0; n < numbers.length; n++) {
      // All of a page may belong to one: who shows that again and again reads it once.
      const again = n > 0 && numbers[n] === numbers[n - 1];
      texts.push(again ? texts[n - 1]! : this.get(numbers[n]!));
    }
    return texts;
  }

  /** @param text Well-formed Unicode, as all JSON that is written here. */
  set(number: number, text: string): void {
    this.drop(number);
    if (number >= this.#places.length) this.#reach(number);
    const room = this.#wordsOf(text);
    if (!this.#fits(room)) this.#add(room);
    const segment = this.#segments[this.#open]!, start = (segment.end + HEAD) * WORD;
    const length = segment.buffer.write(text, start, "utf8");
    segment.words[segment.end] = number;
    segment.words[segment.end + 1] = length * 2 + (length === text.length ? 0 : 1);
    this.#place(number, segment, wordsIn(length));
    if (this.#dead > this.#segmentBytes && this.#dead > this.#bytes * MAX_DEAD) this.#clean();
  }

  drop(number: number): void {
    const place = this.#places[number];
    if (place === undefined || place === NONE) return;
    const segment = this.#segmentAt(place);
    const words = sizeAt(segment, place & WORD_MASK);
    segment.dead += words;
    this.#dead += words * WORD;
    this.#places[number] = NONE;
    this.#used[number] = 0;
  }

  /**
   * Gives up the segment whose turn it is; there must be one. Texts that were asked for since the last time stay, about
   * half of a segment at most. Called again and again, it gives up everything.
   */
  makeRoom(): void {
    let index = this.#hand;
    while (!this.#segments[index]) index = index + 1 < this.#segments.length ? index + 1 : 0;
    this.#hand = index + 1 < this.#segments.length ? index + 1 : 0;
    const { end } = this.#segments[index]!;
    let left = end * MAX_KEPT;
    this.#giveUp(index, (number, words) => {
      const keeps = this.#used[number] === 1 && left > 0;
      if (keeps) left -= words;
      this.#used[number] = 0;
      return keeps;
    });
  }

  clear(): void {
    this.#segments.length = 0;
    this.#places = new Uint32Array(64);
    this.#used = new Uint8Array(64);
    this.#open = -1;
    this.#bytes = this.#dead = this.#hand = 0;
  }

  #segmentAt(place: number): Segment {
    return this.#segments[(place >>> WORD_BITS) - 1]!;
  }

  /** What a text takes at most; exactly, where the segment that is open may be too short for it. */
  #wordsOf(text: string): number {
    const most = wordsIn(MAX_UNIT * text.length);
    return this.#fits(most) ? most : wordsIn(Buffer.byteLength(text));
  }

  #fits(words: number): boolean {
    const open = this.#segments[this.#open];
    return open !== undefined && open !== null && open.end + words <= open.words.length;
  }

  #capacityFor(words: number): number {
    const usual = Math.min(this.#segmentBytes, FIRST_SEGMENT << Math.min(this.#segments.length, 8));
    return Math.max(usual, words * WORD);
  }

  /** Opens another segment. */
  #add(words: number): void {
    const bytes = new Uint8Array(this.#capacityFor(words));
    const segment = {
      bytes,
      buffer: Buffer.from(bytes.buffer),
      words: new Uint32Array(bytes.buffer),
      end: 0,
      dead: 0,
    };
    const free = this.#segments.indexOf(null);
    this.#open = free < 0 ? this.#segments.push(segment) - 1 : free;
    this.#segments[this.#open] = segment;
    this.#bytes += bytes.length;
  }

  /** @param segment The one that is open, with the text behind its end. */
  #place(number: number, segment: Segment, words: number): void {
    this.#places[number] = placeAt(this.#open, segment.end);
    segment.end += words;
  }

  /** Gives up the segment that has most texts that are gone. */
  #clean(): void {
    let most = -1, dead = 0;
    for (const [index, segment] of this.#segments.entries()) {
      if (!segment || index === this.#open || segment.dead <= dead) continue;
      most = index;
      dead = segment.dead;
    }
    if (most >= 0) this.#giveUp(most, () => true);
  }

  /** @param keeps Whether a text, given by its number and size, is copied to the end of the log. */
  #giveUp(index: number, keeps: (number: number, words: number) => boolean): void {
    const segment = this.#segments[index]!;
    this.#segments[index] = null;
    this.#bytes -= segment.bytes.length;
    if (this.#open === index) this.#open = -1;
    for (let word = 0; word < segment.end;) {
      const number = segment.words[word]!, words = sizeAt(segment, word);
      if (this.#places[number] === placeAt(index, word)) {
        if (keeps(number, words)) this.#copy(number, segment, word, words);
        else this.#places[number] = NONE;
      } else this.#dead -= words * WORD;
      word += words;
    }
  }

  #copy(number: number, from: Segment, word: number, words: number): void {
    if (!this.#fits(words)) this.#add(words);
    const open = this.#segments[this.#open]!;
    open.words.set(from.words.subarray(word, word + words), open.end);
    this.#place(number, open, words);
  }

  #reach(number: number): void {
    this.#places = grown(this.#places, number);
    const used = new Uint8Array(this.#places.length);
    used.set(this.#used);
    this.#used = used;
  }
}

/** Words of a text of so many bytes. */
function wordsIn(bytes: number): number {
  return HEAD + Math.ceil(bytes / WORD);
}

function sizeAt({ words }: Segment, word: number): number {
  return wordsIn(words[word + 1]! >>> 1);
}

function placeAt(index: number, word: number): number {
  return ((index + 1) << WORD_BITS | word) >>> 0;
}
