// Pieces that the request and response schemas of all resources share. Imports zod only.
import { z } from "zod";

/** Front ends send an empty string or `all` where no filter is chosen. */
function absentWhenEmpty(value: unknown): unknown {
  return value === "" || value === "all" ? undefined : value;
}

/** Pages of a list hold at most so many records. */
export const MAX_LIMIT = 100;

const wholeFromOne = (name: string) =>
  z.string().regex(/^0*[1-9]\d{0,8}$/, `${name} must be a whole number from 1`).transform(Number);

/**
 * The query of a list: paging, search, sort, and the given filters.
 *
 * @param filters Schemas by name; see `filter`, `enumFilter`, `flagFilter`.
 */
export function listQuery<F extends z.ZodRawShape>(filters: F) {
  return z.object({
    page: z.preprocess(absentWhenEmpty, wholeFromOne("page").optional()),
    limit: z.preprocess(absentWhenEmpty, wholeFromOne("limit").optional()),
    pageSize: z.preprocess(absentWhenEmpty, wholeFromOne("pageSize").optional()),
    search: z.string().max(200).optional(),
    q: z.string().max(200).optional(),
    keyword: z.string().max(200).optional(),
    sort: z.string().max(50).optional(),
    cursor: z.string().max(1000).optional(),
    ...filters,
  });
}

/** A text filter, compared as it is. */
export const filter = z.preprocess(absentWhenEmpty, z.string().max(200).optional());

/** A true-or-false filter. */
export const flagFilter = z.preprocess(
  absentWhenEmpty,
  z.enum(["true", "false"]).transform((text) => text === "true").optional(),
);

/** A filter over the values of an enum, in either case. */
export function enumFilter<E extends z.ZodType<string>>(values: E) {
  return z.preprocess((value) => absentWhenEmpty(lowerCase(value)), values.optional());
}

function lowerCase(value: unknown): unknown {
  return typeof value === "string" ? value.toLowerCase() : value;
}

/** Enums are emitted in lower case and accepted in either. */
export function eitherCase<E extends z.ZodType<string>>(values: E) {
  return z.preprocess(lowerCase, values);
}

/** An optional field of an update: null or an empty string removes it. */
export function removable<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => value === "" ? null : value, schema.nullish());
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
);

/** A moment in ISO 8601 with a zone, or a date; kept in UTC. */
export const moment = z.union([z.iso.datetime({ offset: true, local: true }), z.iso.date()], {
  error: "must be an ISO 8601 date and time such as 2026-11-21T09:00:00Z",
}).transform((text) =>
  new Date(/[zZ]|[+-]\d\d:?\d\d$|^\d{4}-\d\d-\d\d$/.test(text) ? text : `${text}Z`).toISOString()
  // The zone may carry it beyond the years that ISO 8601 writes with four digits.
).pipe(z.iso.datetime({ error: "must be within the years 0000 to 9999" }));

/** What a deletion answers with. */
export const deleted = z.object({ id: z.string() });

/** The public form of a person beside a record. */
export const person = z.object({
  id: z.string(),
  name: z.string(),
  avatar: z.string().optional(),
}).meta({ id: "Person" });

export type Person = z.infer<typeof person>;
