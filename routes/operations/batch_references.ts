// References from an operation of a batch to a record that an earlier one makes, whose id is not known beforehand.
import { JsonText } from "../../core/json.ts";
import type { Operation } from "../../models/batch.ts";

/** A segment of a path: `$0`, `$team`. */
const IN_PATH = /(?<=\/)\$([\w-]+)(?=[/?]|$)/g;
/**
 * A value in the text of a body: `{"$ref":"team"}`. It is never a part of another value: in texts each quote has a
 * backslash before it.
 */
const IN_BODY = /\{"\$ref":(?:"([\w-]+)"|(\d+))\}/g;

/** The operations that this one refers to, by their `id` or by their number from 0. */
export function referencesOf({ path, body }: Operation): string[] {
  const named = [...path.matchAll(IN_PATH), ...bodyText(body).matchAll(IN_BODY)];
  return [...new Set(named.map(([, name, number]) => name ?? number!))];
}

/** The number of the earlier operation that is meant; -1 where there is none. */
export function referredTo(operations: readonly Operation[], n: number, name: string): number {
  const earlier = operations.slice(0, n);
  const byId = earlier.findIndex(({ id }) => id === name);
  if (byId >= 0) return byId;
  return /^\d{1,3}$/.test(name) && Number(name) < n ? Number(name) : -1;
}

/** The path and the body with the ids in place of the references. */
export function withIds(
  { path, body }: Operation,
  idOf: (name: string) => string,
): { readonly path: string; readonly body: unknown } {
  const text = bodyText(body);
  const filled = text.replace(
    IN_BODY,
    (_, name, number) => JSON.stringify(idOf(name ?? number)),
  );
  return {
    path: path.replace(IN_PATH, (_, name) => encodeURIComponent(idOf(name))),
    body: filled === text ? body : new JsonText(filled),
  };
}

function bodyText(body: unknown): string {
  return body === undefined ? "" : JSON.stringify(body);
}
