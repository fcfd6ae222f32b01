// What is wrong with a value, in the words of a form: the library's own name types, not what to do.
import type { z } from "zod";

type Issue = z.core.$ZodRawIssue;

const KINDS: Readonly<Record<string, string>> = {
  string: "must be text",
  number: "must be a number",
  nan: "must be a number",
  int: "must be a whole number",
  boolean: "must be true or false",
  array: "must be a list",
  tuple: "must be a list",
  object: "must be an object",
  record: "must be an object",
  date: "must be a date",
};

const FORMATS: Readonly<Record<string, string>> = {
  email: "must be a valid e-mail address",
  url: "must be a URL",
  datetime: "must be an ISO 8601 date and time such as 2026-11-21T09:00:00Z",
  date: "must be a date such as 2026-11-21",
  time: "must be a time such as 09:00:00",
  uuid: "must be a UUID",
};

/**
 * Says what is wrong with a field, beginning with the verb: the field's name goes before it. A schema's own message
 * is told instead where it has one.
 *
 * For `schema.safeParse(value, { error: wordsFor })`: https://zod.dev/error-customization#per-parse-error-customization
 */
export function wordsFor(issue: Issue): string {
  if ((issue.input ?? null) === null && issue.code !== "custom") return "is required";
  switch (issue.code) {
    case "invalid_type":
      return KINDS[issue.expected] ?? "is of the wrong type";
    case "invalid_value":
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.map(String).join(", ")}`;
    case "too_small":
      return sizeWords(issue.origin, "least", Number(issue.minimum), issue.inclusive !== false);
    case "too_big":
      return sizeWords(issue.origin, "most", Number(issue.maximum), issue.inclusive !== false);
    case "invalid_format":
      return FORMATS[issue.format] ?? "does not have the right form";
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "unrecognized_keys":
      return `must not have ${issue.keys.join(", ")}`;
    default:
      return "is not valid";
  }
}

/** For schemas that are used outside an endpoint's declaration. */
export const inWords = { error: wordsFor } as const;

const COUNTED: Readonly<Record<string, readonly [string, string]>> = {
  string: ["character", "characters"],
  array: ["entry", "entries"],
  set: ["entry", "entries"],
  map: ["entry", "entries"],
  file: ["byte", "bytes"],
};

function sizeWords(
  origin: string,
  bound: "least" | "most",
  limit: number,
  inclusive: boolean,
): string {
  const counted = COUNTED[origin];
  if (counted && bound === "least" && limit === 1) return "must not be empty";
  if (counted) return `must have at ${bound} ${limit} ${counted[limit === 1 ? 0 : 1]}`;
  if (inclusive) return `must be at ${bound} ${limit}`;
  return `must be ${bound === "least" ? "more" : "less"} than ${limit}`;
}
