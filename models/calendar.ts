// Calendar events, their attendees and reminders.
import { z } from "zod";
import { batchIdsOf } from "./batches.ts";
import { enumFilter, listQuery } from "./list_query.ts";
import { collection, type RecordOf, timestamp } from "./collection.ts";
import { csvOptions } from "./csv.ts";
import {
  eitherCase,
  label,
  localMoment,
  localMomentOrEndOfDay,
  person,
  removable,
  timeZone,
  wholeUpTo,
} from "./requests.ts";

export const eventType = z.enum(["meeting", "task", "reminder", "holiday"]);

export const events = collection("events", {
  title: z.string(),
  description: z.string().optional(),
  start: timestamp,
  /** Not before `start`. */
  end: timestamp,
  type: eventType,
  color: z.string().optional(),
  allDay: z.boolean(),
  location: z.string().optional(),
  ownerId: z.string(),
  /** Bytes of its texts in UTF-8: they count for the owner. Absent in records of the first release on Deno KV. */
  size: z.number().int().optional(),
}, {
  traits: ["ownerId"],
  filter: ["ownerId", "type", "start", "end", "allDay"],
  sort: ["start", "end", "title"],
  span: ["start", "end"],
  search: ["title", "description", "location"],
  sum: ["size"],
  references: { ownerId: "users" },
  audit: (event) => event.title,
  audited: ["title", "start", "end", "type", "allDay", "location", "ownerId"],
  measured: ["description"],
});

export type Event = RecordOf<typeof events>;

export const attendeeStatus = z.enum(["pending", "accepted", "declined", "tentative"]);

export const attendees = collection("attendees", {
  eventId: z.string(),
  userId: z.string(),
  status: attendeeStatus,
}, {
  traits: ["eventId", "userId"],
  unique: { attendee: ["eventId", "userId"] },
  filter: ["eventId", "userId", "status"],
  references: { eventId: "events", userId: "users" },
});

export type Attendee = RecordOf<typeof attendees>;

export const reminderMethod = z.enum(["notification", "email"]);

/** At most one per event, person and method: setting it again moves it. */
export const reminders = collection("reminders", {
  eventId: z.string(),
  /** Who is reminded. */
  userId: z.string(),
  remindAt: timestamp,
  /** Minutes before the start of the event: `remindAt` moves with the event. Absent: `remindAt` is a fixed time. */
  minutesBefore: z.number().int().optional(),
  method: reminderMethod,
  /** Set in the same commit as the notification, so that the reminder fires only once with several processes too. */
  firedAt: timestamp.optional(),
}, {
  traits: ["eventId", "userId"],
  unique: { reminder: ["eventId", "userId", "method"] },
  filter: ["eventId", "userId", "remindAt", "firedAt"],
  sort: ["remindAt"],
  references: { eventId: "events", userId: "users" },
});

export type Reminder = RecordOf<typeof reminders>;

export const publicReminder = z.object({
  id: z.string(),
  remindAt: timestamp,
  minutesBefore: z.number().int().optional(),
  method: reminderMethod,
}).meta({ id: "Reminder" });

/** An event as the caller sees it: its reminders are only the caller's own. */
export const publicEvent = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string().optional(),
  start: timestamp,
  end: timestamp,
  type: eventType,
  color: z.string().optional(),
  allDay: z.boolean(),
  location: z.string().optional(),
  ownerId: z.string(),
  attendees: z.array(person.extend({ status: attendeeStatus }).meta({ id: "Attendee" })),
  reminders: z.array(publicReminder),
  createdAt: timestamp,
  updatedAt: timestamp,
}).meta({ id: "Event" });

export type PublicEvent = z.input<typeof publicEvent>;

const userId = z.string().min(1).max(128);

/** Attendees of an event, at most. */
export const MAX_ATTENDEES = 500;

/** People by id, or as the objects that an event shows. */
const anyPeople = z.array(z.union([
  userId,
  z.object({ userId }).transform((person) => person.userId),
  z.object({ id: userId }).transform((person) => person.id),
]));

/** People who are invited at once. */
const people = anyPeople.max(100);
/** Everyone who attends: an event that is shown whole can be sent back whole. */
const everyone = anyPeople.max(MAX_ATTENDEES);

const text = (max: number) => z.string().trim().max(max);

const eventFields = {
  title: label,
  description: removable(text(10_000)),
  start: localMoment.optional(),
  startAt: localMoment.optional(),
  end: localMomentOrEndOfDay.optional(),
  endAt: localMomentOrEndOfDay.optional(),
  type: eitherCase(eventType),
  color: removable(text(50)),
  allDay: z.boolean(),
  location: removable(text(500)),
  attendeeIds: people.optional(),
  attendees: people.optional(),
};

export const eventCreation = z.object({
  ...eventFields,
  type: eventFields.type.default("meeting"),
  allDay: eventFields.allDay.default(false),
}).refine(({ start, startAt }) => start ?? startAt, { path: ["start"], error: "is required" });

const optionalText = (max: number) => text(max).optional();

/** A row of an import: the owner is who imports it, and nobody is invited. */
export const eventImport = z.object({
  title: label,
  start: localMoment,
  end: localMomentOrEndOfDay.optional(),
  allDay: z.boolean().default(false),
  type: eventFields.type.default("meeting"),
  location: optionalText(500),
  description: optionalText(10_000),
  color: optionalText(50),
});

export type EventImport = z.output<typeof eventImport>;

export const eventUpdate = z.object({
  ...eventFields,
  title: eventFields.title.optional(),
  type: eventFields.type.optional(),
  allDay: eventFields.allDay.optional(),
  /** The list replaces the one before. */
  attendeeIds: everyone.optional(),
  attendees: everyone.optional(),
});

const SPAN = { start: true, startAt: true, end: true, endAt: true, allDay: true } as const;

export const eventMove = eventUpdate.pick(SPAN).refine(
  (body) => Object.values(body).some((value) => value !== undefined),
  { path: ["start"], error: "is required" },
);

export const eventBatch = batchIdsOf("events");

const absentWhenEmpty = (value: unknown) => value === "" ? undefined : value;
const from = z.preprocess(absentWhenEmpty, localMoment.optional());
const to = z.preprocess(absentWhenEmpty, localMomentOrEndOfDay.optional());

/** The time zone that times without a zone are in. Absent: the user's own. */
export const zoneQuery = z.object({ tz: timeZone.optional() });

export const eventListQuery = listQuery(events, {
  own: { from, to, start: from, end: to, ...zoneQuery.shape },
});

export const eventExportQuery = listQuery(events, {
  own: { from, to, start: from, end: to, ...zoneQuery.shape, ...csvOptions },
  paged: false,
});

/** Days that `upcoming` looks ahead. */
const DEFAULT_DAYS = 7;

export const upcomingQuery = listQuery(events, {
  own: {
    days: z.preprocess(absentWhenEmpty, wholeUpTo(366, DEFAULT_DAYS)),
    ...zoneQuery.shape,
  },
});

export const attendance = z.object({
  userId: userId.optional(),
  attendeeIds: people.optional(),
  attendees: people.optional(),
  /** The caller's own answer to the invitation. */
  status: eitherCase(attendeeStatus).optional(),
}).refine(
  ({ userId, attendeeIds, attendees }) =>
    (userId ?? attendeeIds?.[0] ?? attendees?.[0]) !== undefined,
  { path: ["userId"], error: "give userId or attendeeIds" },
);

/** Four weeks: what calendars commonly take (Google Calendar API, `reminders.overrides[].minutes`). */
const MAX_MINUTES_BEFORE = 40_320;

export const reminderCreation = z.object({
  remindAt: localMoment.optional(),
  minutesBefore: z.number().int().min(0).max(MAX_MINUTES_BEFORE).optional(),
  method: eitherCase(reminderMethod).default("notification"),
}).refine(
  ({ remindAt, minutesBefore }) => (remindAt === undefined) !== (minutesBefore === undefined),
  { path: ["remindAt"], error: "give either remindAt or minutesBefore" },
);

export const reminderQuery = z.object({ method: enumFilter(reminderMethod) });
