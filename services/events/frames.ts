// Server-Sent Events as bytes (HTML standard, section 9.2).
import type { Op, RecordEvent } from "./event.ts";

const encoder = new TextEncoder();

/** Milliseconds after which a client connects again. */
const RETRY = 3000;

/** The beginning of a stream: how soon to come again, and where it begins. */
export function opening(position: string): Uint8Array {
  return encoder.encode(`retry: ${RETRY}\n${idLine(position)}\n`);
}

/** Keeps the connection from being taken for dead; an id moves on what the client resumes at, and is no event. */
export function heartbeat(position: string | null): Uint8Array {
  return encoder.encode(`:\n${position === null ? "" : `${idLine(position)}\n`}`);
}

/** @param position Absent for what is not in the journal: the client's place stays where it is. */
export function frame(name: string, data: string, position?: string): Uint8Array {
  const id = position === undefined ? "" : idLine(position);
  return encoder.encode(`${id}event: ${name}\ndata: ${data}\n\n`);
}

/** An event of a record as it is sent; `record` is its JSON. */
export function recordFrame(
  event: RecordEvent,
  op: Op,
  { rev, record }: { readonly rev: string | undefined; readonly record?: string | null },
): Uint8Array {
  const { id, collection, at, actor, position } = event;
  const shown = op === "removed" ? undefined : rev;
  const data = JSON.stringify({ id, collection, op, at, rev: shown, actor });
  const whole = record ? `${data.slice(0, -1)},"record":${record}}` : data;
  return frame(`${collection}.${op}`, whole, position);
}

/** Tells that something was missed: the client reads these collections anew; null: all of them. */
export function resetFrame(
  reason: "too-old" | "membership" | "permissions",
  collections: readonly string[] | null,
  position?: string,
): Uint8Array {
  return frame("reset", JSON.stringify({ reason, collections }), position);
}

/** The journal's empty position is no id: a client that has none begins with what comes. */
function idLine(position: string): string {
  return position === "" ? "" : `id: ${position}\n`;
}
