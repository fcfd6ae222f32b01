// Reminders: set, moved with their event, and fired once each, whichever process comes first.
import { chunks } from "../../core/chunks.ts";
import { invalid } from "../../core/errors.ts";
import { type Event, events, type Reminder, reminders } from "../../models/calendar.ts";
import { type User, users } from "../../models/users.ts";
import type { Transaction } from "../../storage/port.ts";
import { effectivePermissions } from "../access/access.ts";
import { roleOf } from "../access/users.ts";
import { zonesOf } from "../access/persons.ts";
import { eventOf, later, startFor } from "./calendar.ts";
import { mailNotice } from "../accounts/mail_rights.ts";
import { eventReminderMail, timeOf } from "../messaging/mails.ts";
import { notify } from "../messaging/notifications.ts";
import type { Services } from "../services.ts";
import { everyMatch } from "../../storage/every_match.ts";
import { MINUTE } from "../../core/units.ts";

/** Reminders read at a time. */
const BATCH = 100;
/** Reminders that a change of time zone moves. */
const MOVED = 500;

/** What a request asks for: one of the two times. */
export interface AskedReminder extends Pick<Reminder, "method" | "minutesBefore"> {
  readonly remindAt?: string;
}

/**
 * Plans a reminder; it replaces the user's earlier one of the same method for the event.
 *
 * @throws {ApiError} VALIDATION_ERROR for a time that is past.
 */
export async function planReminder(
  tx: Transaction,
  { id: userId, timeZone }: Pick<User, "id" | "timeZone">,
  event: Event,
  { remindAt: fixed, minutesBefore, method }: AskedReminder,
): Promise<Reminder> {
  if (fixed !== undefined && fixed <= tx.now) throw invalid("remindAt", "must be in the future");
  const start = startFor(event, timeZone);
  if (fixed === undefined && start <= tx.now) {
    throw invalid("minutesBefore", "the event has started already");
  }
  const remindAt = fixed ?? later(start, -(minutesBefore ?? 0) * MINUTE);
  const before = await tx.from(reminders).findBy("reminder", event.id, userId, method);
  tx.update(events, event, {});
  return before
    ? tx.update(reminders, before, { remindAt, minutesBefore, firedAt: undefined })
    : tx.insert(reminders, { eventId: event.id, userId, method, remindAt, minutesBefore });
}

/** Plans that reminders given in minutes before the start follow the event to its new start. */
export async function planReminderMoves(
  tx: Transaction,
  before: Event,
  after: Event,
): Promise<void> {
  if (before.start === after.start && before.allDay === after.allDay) return;
  const set = await everyMatch(tx, reminders, { eventId: after.id });
  const zones = await zonesOf(tx, set.map(({ userId }) => userId));
  for (const reminder of set) {
    planMove(tx, reminder, startFor(after, zones.get(reminder.userId)));
  }
}

/**
 * Plans that the reminders of those who are in another time zone follow whole days to where those begin there: the
 * soonest, `MOVED` at most, for one commit.
 */
export async function planZoneMoves(tx: Transaction, moved: readonly User[]): Promise<void> {
  const zones = new Map(moved.map(({ id, timeZone }) => [id, timeZone]));
  let left = MOVED;
  for (const userId of chunks([...zones.keys()])) {
    if (left === 0) return;
    const where = { userId, firedAt: null };
    const { rows } = await tx.from(reminders).list({ where, sort: "remindAt", limit: left });
    left -= rows.length;
    const following = rows.filter(({ minutesBefore }) => minutesBefore !== undefined);
    const byEvent = Map.groupBy(following, ({ eventId }) => eventId);
    for (const event of await tx.from(events).getMany([...byEvent.keys()])) {
      if (!event?.allDay) continue;
      for (const reminder of byEvent.get(event.id)!) {
        planMove(tx, reminder, startFor(event, zones.get(reminder.userId)));
      }
      tx.update(events, event, {});
    }
  }
}

/** @param start When its event starts for whoever is reminded. */
function planMove(tx: Transaction, reminder: Reminder, start: string): void {
  if (reminder.minutesBefore === undefined) return;
  const remindAt = later(start, -reminder.minutesBefore * MINUTE);
  tx.update(reminders, reminder, {
    remindAt,
    firedAt: firedAfterMove(tx, reminder, start, remindAt),
  });
}

/** It fires again when its new time is still to come, and not at all for an event that is moved into the past. */
function firedAfterMove(
  { now }: Transaction,
  { firedAt }: Reminder,
  start: string,
  remindAt: string,
): string | undefined {
  if (start <= now) return firedAt ?? now;
  return remindAt > now ? undefined : firedAt;
}

/**
 * Fires what is due: a notification, and a mail where that is the method. Each fires once, also when several
 * processes share the store or one was down at the time: the commit that notifies marks it as fired. Mails follow
 * the commit, so one is lost rather than sent twice when the process ends in between.
 */
export async function fireDueReminders(services: Services): Promise<void> {
  const { store, clock } = services;
  const where = { firedAt: null, remindAt: { lte: clock().toISOString() } };
  const failures: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.from(reminders).list({
      where,
      sort: "remindAt",
      limit: BATCH,
      cursor,
    });
    for (const { id } of page.rows) {
      try {
        const due = await store.transact({ userId: null }, (tx) => planFiring(tx, id));
        if (!due) continue;
        const { user, event } = due;
        mailNotice(services, user, user, () => eventReminderMail(user, event));
      } catch (error) {
        // The others do not wait for one that fails; it is tried again at the next run.
        failures.push(error);
      }
    }
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  if (failures.length > 0) throw new AggregateError(failures, "Cannot fire some reminders");
}

/** @returns Whom to mail about what, if anyone. */
async function planFiring(
  tx: Transaction,
  id: string,
): Promise<{ user: User; event: Event } | null> {
  const reminder = await tx.from(reminders).get(id);
  if (!reminder || reminder.firedAt !== undefined || reminder.remindAt > tx.now) return null;
  const user = await tx.from(users).get(reminder.userId);
  const event = user && await seenBy(tx, user, reminder.eventId);
  if (!user || !event) {
    tx.remove(reminders, reminder);
    return null;
  }
  tx.update(reminders, reminder, { firedAt: tx.now });
  if (user.status !== "active") return null;
  notify(tx, {
    userId: user.id,
    type: "alert",
    title: `Reminder: ${event.title}`,
    content: [timeOf(event, user.timeZone), event.location].filter(Boolean).join(", "),
    link: `/calendar/${event.id}`,
    subjectId: event.id,
  });
  return reminder.method === "email" ? { user, event } : null;
}

/** The event, where the user sees it still: who managed the calendar when they set the reminder may not any more. */
async function seenBy(tx: Transaction, user: User, id: string): Promise<Event | null> {
  const role = await roleOf(tx, user);
  const permissions = effectivePermissions(user, role);
  const found = await eventOf(tx, { user, role, session: null, key: null, permissions }, id);
  return found?.event ?? null;
}
