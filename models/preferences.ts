// What each user has set of user interfaces, such as theme, language and saved views: it means nothing to the server.
import { z } from "zod";
import { collection, type RecordOf } from "./collection.ts";

/** The id is the user's. */
export const preferences = collection("preferences", {
  userId: z.string(),
  /** A JSON object as text. */
  json: z.string(),
}, {
  traits: ["userId"],
  filter: ["userId"],
  references: { userId: "users" },
});

export type Preferences = RecordOf<typeof preferences>;

/** Bytes in UTF-8 that the preferences of one user may have as JSON without white space. */
export const MAX_PREFERENCES = 16 * 1024;
/** Objects and lists within one another, the outermost among them. */
const MAX_DEPTH = 10;
/** Characters of a key. */
const MAX_KEY = 100;

export const publicPreferences = z.record(z.string(), z.unknown()).meta({
  id: "Preferences",
  description: "Whatever user interfaces keep there",
});

/** Null stands for a key that is not there. */
export const preferencesUpdate = z.record(z.string(), z.unknown())
  .refine(
    (value) => Object.keys(value).every((key) => key.length <= MAX_KEY),
    `must have keys of at most ${MAX_KEY} characters`,
  )
  .refine(
    (value) => !isDeeper(value, MAX_DEPTH),
    `must not nest more than ${MAX_DEPTH} objects and lists`,
  );

/** Not recursive: what is asked about may nest deeper than the stack allows. */
function isDeeper(value: unknown, depth: number): boolean {
  let level = [value].filter(nests);
  for (let n = 0; level.length > 0; n++) {
    if (n === depth) return true;
    level = level.flatMap((one) => Object.values(one)).filter(nests);
  }
  return false;
}

function nests(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
