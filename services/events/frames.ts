// Server-Sent Events as bytes (HTML standard, section 9.2).
import type { Op, RecordEvent } from "./event.ts";

const encoder = new TextEncoder();

/** Milliseconds after which a client connects again. */
const RETRY = 3000;

/** An event without a place: it is not in the journal, and the client's place stays where it is. */
export function frame(name: string, data: string): Uint8Array {
  return encoder.encode(`event: ${name}\ndata: ${data}\n\n`);
}

/** What has a place in the journal, or moves it on. */
export class Frames {
  /** @param journal What tells the places of this journal from those of another: see `journalOf`. Empty: nothing. */
  constructor(readonly journal = "") {}

  /** The id of a position, as clients have it; in order as text. */
  idOf(position: string): string {
    return this.journal === "" ? position : `${this.journal}~${position}`;
  }

  /** The beginning of a stream: how soon to come again, and where it begins. */
  opening(position: string): Uint8Array {
    return encoder.encode(`retry: ${RETRY}\n${this.#idLine(position)}\n`);
  }

  /** Keeps the connection from being taken for dead; an id moves on what the client resumes at, and is no event. */
  heartbeat(position: string | null): Uint8Array {
    return encoder.encode(`:\n${position === null ? "" : `${this.#idLine(position)}\n`}`);
  }

  /** Events of a record as they are sent; `record` is its JSON. */
  record(
    event: RecordEvent,
    op: Op,
    { rev, record }: { readonly rev: string | undefined; readonly record?: string | null },
  ): Uint8Array {
    const { id, collection, at, actor, position } = event;
    const shown = op === "removed" ? undefined : rev;
    const data = JSON.stringify({ id, collection, op, at, rev: shown, actor });
    const whole = record ? `${data.slice(0, -1)},"record":${record}}` : data;
    return this.#placed(`${collection}.${op}`, whole, position);
  }

  /** Tells that something was missed: the client reads these collections anew; null: all of them. */
  reset(
    reason: "too-old" | "membership",
    collections: readonly string[] | null,
    position: string,
  ): Uint8Array {
    return this.#placed("reset", JSON.stringify({ reason, collections }), position);
  }

  #placed(name: string, data: string, position: string): Uint8Array {
    return encoder.encode(`${this.#idLine(position)}event: ${name}\ndata: ${data}\n\n`);
  }

  /** The journal's empty position is no id: a client that has none begins with what comes. */
  #idLine(position: string): string {
    return position === "" ? "" : `id: ${this.idOf(position)}\n`;
  }
}
