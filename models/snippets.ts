// Shareable snippets and the daily check-in.
import { z } from "zod";
import { collection, type RecordOf, timestamp } from "./collection.ts";
import { flagFilter, listQuery } from "./list_query.ts";
import { eitherCase, timeZone } from "./requests.ts";

export const snippetLanguage = z.enum(["html", "markdown"]);

export const snippets = collection("snippets", {
  content: z.string(),
  language: snippetLanguage,
  /** Who shared it, if signed in: it counts against their quota, and they may remove it. */
  userId: z.string().optional(),
  /** True where the owner did not ask to be named: then nobody else is shown `userId`. */
  unnamed: z.boolean().optional(),
  /** Bytes of the content in UTF-8; absent in records of the first release on Deno KV. */
  size: z.number().int().optional(),
}, {
  traits: ["userId"],
  filter: ["userId", "language"],
  sum: ["size"],
  references: { userId: "users" },
});

export type Snippet = RecordOf<typeof snippets>;

/** One per user; the id is the user's. */
export const checkins = collection("checkins", {
  totalPoints: z.number().int(),
  /** Consecutive days, up to and with `lastDay`. */
  streak: z.number().int(),
  /** Local date of the last check-in, `2026-11-21`. */
  lastDay: z.iso.date(),
  /** When `lastDay` ends in the zone it was counted in: until then there are no further points. ISO 8601. */
  lastDayEndsAt: z.iso.datetime(),
  /** IANA name, as of the last check-in. */
  timeZone: z.string(),
  /** Points of the last check-in. */
  points: z.number().int(),
}, { sum: ["totalPoints"] });

export type Checkin = RecordOf<typeof checkins>;

/** The most bytes in UTF-8 that a shared text or a Markdown source may have. */
export const MAX_SOURCE_BYTES = 256 * 1024;

export const shareRequest = z.object({
  content: z.string().min(1, "must not be empty"),
  language: eitherCase(snippetLanguage).default("html"),
  userId: z.string().max(128).nullish(),
});

/** What the creation of a snippet answers with. */
export const shareResult = z.object({
  id: z.string(),
  language: snippetLanguage,
  /** Path of the page that shows it. */
  url: z.string(),
}).meta({ id: "ShareResult" });

/** A snippet as it is shown. */
export const publicSnippet = shareResult.extend({
  content: z.string(),
  userId: z.string().optional(),
  createdAt: timestamp,
}).meta({ id: "Snippet" });

/** A snippet in a list, as its owner and those who moderate snippets see it. */
export const snippetSummary = shareResult.extend({
  /** Bytes. */
  size: z.int(),
  /** The owner; absent where it was shared without an account. */
  userId: z.string().optional(),
  anonymous: z.boolean(),
  createdAt: timestamp,
  /** When the server removes it by itself; absent: never. */
  expiresAt: timestamp.optional(),
}).meta({ id: "SnippetSummary" });

export const snippetListQuery = listQuery(snippets, { own: { anonymous: flagFilter } });

export const markdownRequest = z.object({ markdown: z.string() });

export const checkinQuery = z.object({
  tz: z.preprocess((name) => name === "" ? undefined : name, timeZone.optional()),
});

export const checkinResult = z.object({
  /** Points of this check-in alone. */
  points: z.int().min(20).max(50),
  totalPoints: z.int(),
  /** Consecutive days, with this one. */
  streak: z.int(),
}).meta({ id: "Check-in" });
