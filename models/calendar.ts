// Calendar events, their attendees and reminders.
import { z } from "zod";
import { collection, type RecordOf, timestamp } from "./collection.ts";
import { eitherCase, enumFilter, label, listQuery, moment, person, removable } from "./requests.ts";

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
}, {
  filter: ["ownerId", "type", "start", "end", "allDay"],
  sort: ["start", "end", "title"],
  search: ["title", "description", "location"],
  references: { ownerId: "users" },
  audit: (event) => event.title,
});

export type Event = RecordOf<typeof events>;

export const attendeeStatus = z.enum(["pending", "accepted", "declined", "tentative"]);

export const attendees = collection("attendees", {
  eventId: z.string(),
  userId: z.string(),
  status: attendeeStatus,
}, {
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
  /** Minutes before the start: then `remindAt` follows the event when it moves. Absent: a fixed time. */
  minutesBefore: z.number().int().optional(),
  method: reminderMethod,
  /** Set by the process that fires it, in the commit that notifies: so it fires once. */
  firedAt: timestamp.optional(),
}, {
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

/** An event as one of those who see it does: the reminders are the caller's own. */
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

/** As an end, a date alone means the end of that day. */
const endMoment = z.preprocess(
  (value) =>
    typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T23:59:59.999Z` : value,
  moment,
);

const userId = z.string().min(1).max(128);

/** People by id, or as the objects that an event shows. */
const people = z.array(z.union([
  userId,
  z.object({ userId }).transform((person) => person.userId),
  z.object({ id: userId }).transform((person) => person.id),
])).max(100);

const text = (max: number) => z.string().trim().max(max);

const eventFields = {
  title: label,
  description: removable(text(10_000)),
  start: moment.optional(),
  startAt: moment.optional(),
  end: endMoment.optional(),
  endAt: endMoment.optional(),
  type: eitherCase(eventType),
  color: removable(text(50)),
  allDay: z.boolean(),
  location: removable(text(500)),
  /** All who attend. */
  attendeeIds: people.optional(),
  attendees: people.optional(),
};

export const eventCreation = z.object({
  ...eventFields,
  type: eventFields.type.default("meeting"),
  allDay: eventFields.allDay.default(false),
}).refine(({ start, startAt }) => start ?? startAt, { path: ["start"], error: "is required" });

export const eventUpdate = z.object({
  ...eventFields,
  title: eventFields.title.optional(),
  type: eventFields.type.optional(),
  allDay: eventFields.allDay.optional(),
});

const absentWhenEmpty = (value: unknown) => value === "" ? undefined : value;
const from = z.preprocess(absentWhenEmpty, moment.optional());
const to = z.preprocess(absentWhenEmpty, endMoment.optional());

export const eventListQuery = listQuery({
  type: enumFilter(eventType),
  from,
  to,
  start: from,
  end: to,
});

/** Days that `upcoming` looks ahead. */
const DEFAULT_DAYS = 7;

export const upcomingQuery = listQuery({
  type: enumFilter(eventType),
  days: z.preprocess(
    absentWhenEmpty,
    z.coerce.number().int().min(1).max(366).default(DEFAULT_DAYS),
  ),
});

export const attendance = z.object({
  userId: userId.optional(),
  attendeeIds: people.optional(),
  attendees: people.optional(),
  /** One's own answer. */
  status: eitherCase(attendeeStatus).optional(),
}).refine(
  ({ userId, attendeeIds, attendees }) =>
    (userId ?? attendeeIds?.[0] ?? attendees?.[0]) !== undefined,
  { path: ["userId"], error: "give userId or attendeeIds" },
);

/** Four weeks: what calendars commonly take (Google Calendar API, `reminders.overrides[].minutes`). */
const MAX_MINUTES_BEFORE = 40_320;

export const reminderCreation = z.object({
  remindAt: moment.optional(),
  minutesBefore: z.number().int().min(0).max(MAX_MINUTES_BEFORE).optional(),
  method: eitherCase(reminderMethod).default("notification"),
}).refine(
  ({ remindAt, minutesBefore }) => (remindAt === undefined) !== (minutesBefore === undefined),
  { path: ["remindAt"], error: "give either remindAt or minutesBefore" },
);

export const reminderQuery = z.object({ method: enumFilter(reminderMethod) });
