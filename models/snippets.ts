// Shareable snippets and the daily check-in.
import { z } from "zod";
import { collection, type RecordOf, timestamp } from "./collection.ts";
import { eitherCase } from "./requests.ts";

export const snippetLanguage = z.enum(["html", "markdown"]);

export const snippets = collection("snippets", {
  content: z.string(),
  language: snippetLanguage,
  /** Only ever the caller's own. */
  userId: z.string().optional(),
}, {
  filter: ["userId", "language"],
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
  /** When that day ends in the zone it was counted in: no further award before. ISO 8601. */
  lastDayEndsAt: z.iso.datetime(),
  /** IANA name, as of the last check-in. */
  timeZone: z.string(),
  /** Points of the last check-in. */
  points: z.number().int(),
}, { sum: ["totalPoints"] });

export type Checkin = RecordOf<typeof checkins>;

/** A shared text, or a Markdown source, has at most so many bytes in UTF-8. */
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
}).meta({ id: "Share result" });

export const publicSnippet = shareResult.extend({
  content: z.string(),
  userId: z.string().optional(),
  createdAt: timestamp,
}).meta({ id: "Snippet" });

export const markdownRequest = z.object({ markdown: z.string() });

export const checkinQuery = z.object({ tz: z.string().max(64).optional() });

export const checkinResult = z.object({
  /** Of this check-in. */
  points: z.int().min(20).max(50),
  totalPoints: z.int(),
  /** Consecutive days, with this one. */
  streak: z.int(),
}).meta({ id: "Check-in" });
