// Pieces that the request and response schemas of all resources share. Imports zod only.
import { z } from "zod";

function lowerCase(value: unknown): unknown {
  return typeof value === "string" ? value.toLowerCase() : value;
}

/** Enums are emitted in lower case and accepted in either. */
export function eitherCase<E extends z.ZodType<string>>(values: E) {
  return z.preprocess(lowerCase, values);
}

/** An optional field of an update: null or an empty string removes it. */
export function removable<T extends z.ZodType>(schema: T) {
  // `optional` on the outside: what is not given is not looked at.
  return z.preprocess((value) => value === "" ? null : value, schema.nullable()).optional();
}

/**
 * The fields of an update that were given, with null as the request to remove.
 *
 * @returns A patch for `tx.update`.
 */
export function patchOf<T extends Record<string, unknown>>(
  body: T,
): { [K in keyof T]?: Exclude<T[K], null> } {
  const patch: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(body)) {
    if (value !== undefined) patch[field] = value === null ? undefined : value;
  }
  return patch as { [K in keyof T]?: Exclude<T[K], null> };
}

/** A name or title: trimmed, not empty. */
export const label = z.string().trim().min(1, "must not be empty").max(200);

/** Lower case, trimmed: e-mail addresses are compared without case. RFC 5321 allows 254 characters. */
export const emailAddress = z.string().trim().toLowerCase().max(254).pipe(
  z.email("must be a valid e-mail address"),
).meta({ format: "email" });

const OUTSIDE_YEARS = "must be within the years 0001 to 9999";

/** ISO 8601 writes later years with more than four digits, and Postgres has no year 0000. */
function isWithinYears(text: string): boolean {
  return /^\d/.test(text) && !text.startsWith("0000");
}

/** A moment in ISO 8601 with a zone, or a date; kept in UTC. */
export const moment = z.union([z.iso.datetime({ offset: true, local: true }), z.iso.date()], {
  error: "must be an ISO 8601 date and time such as 2026-11-21T09:00:00Z",
}).transform((text) =>
  new Date(/[zZ]|[+-]\d\d:?\d\d$|^\d{4}-\d\d-\d\d$/.test(text) ? text : `${text}Z`).toISOString()
  // Conversion from its zone may carry the moment beyond the years.
).refine(isWithinYears, OUTSIDE_YEARS).pipe(z.iso.datetime());

/** As the end of something, a date alone means the end of that day. */
export const momentOrEndOfDay = z.preprocess(
  (value) =>
    typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T23:59:59.999Z` : value,
  moment,
);

/**
 * A moment whose zone may be left out: then it stays as it is written, a date alone as its midnight, until `momentIn`
 * places it in a zone. With a zone it is converted to UTC.
 */
export const localMoment = z.union([z.iso.datetime({ offset: true, local: true }), z.iso.date()], {
  error: "must be an ISO 8601 date and time such as 2026-11-21T09:00:00Z",
}).transform((text) => {
  if (text.length === "2026-11-21".length) return `${text}T00:00:00`;
  return /(Z|[+-]\d\d:?\d\d)$/.test(text) ? new Date(text).toISOString() : text;
}).refine(isWithinYears, OUTSIDE_YEARS);

/** As the end of something, a date alone means the end of that day. */
export const localMomentOrEndOfDay = z.preprocess(
  (value) =>
    typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T23:59:59.999` : value,
  localMoment,
);

/** An IANA name, in its usual spelling. */
export const timeZone = z.string().max(64).transform((name, context) => {
  try {
    // Offsets such as +02:00 are taken by Intl too, but name no zone.
    if (/^[A-Za-z]/.test(name)) {
      const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions();
      // Intl resolves an outdated name to the one that replaced it; the name as given stays, as both are valid.
      return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name;
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  const message = "must be an IANA time zone such as Europe/Paris";
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

/** A whole number from 1 in a query. */
export const wholeUpTo = (max: number, fallback: number) =>
  z.string().regex(/^\d{1,4}$/, `must be a whole number from 1 to ${max}`).transform(Number)
    .pipe(z.number().min(1, "must be at least 1").max(max, `must be at most ${max}`))
    .default(fallback).meta({ type: "integer", minimum: 1, maximum: max });

/** The answer to a deletion: the id of what was deleted. */
export const deleted = z.object({ id: z.string() }).meta({ id: "Deleted" });

/** The short public form of a person, for use in other records, such as the assignee of a task. */
export const person = z.object({
  id: z.string(),
  name: z.string(),
  avatar: z.string().optional(),
}).meta({ id: "Person" });

export type Person = z.infer<typeof person>;
