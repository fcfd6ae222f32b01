// Who attends an event: invited, answering, leaving, and what they are told of it.
import { conflict, forbidden, invalid } from "../../core/errors.ts";
import {
  type Attendee,
  attendees,
  type Event,
  events,
  MAX_ATTENDEES,
  reminders,
} from "../../models/calendar.ts";
import type { User } from "../../models/users.ts";
import type { Transaction } from "../../storage/port.ts";
import type { Principal } from "../access/access.ts";
import { mayChange } from "./calendar.ts";
import type { Services } from "../services.ts";
import { mailNotice } from "../accounts/mail_rights.ts";
import { eventInvitationMail, timeOf } from "../messaging/mails.ts";
import { notify, withdraw } from "../messaging/notifications.ts";
import { activeUsers, zonesOf } from "../access/persons.ts";
import { everyMatch } from "../../storage/every_match.ts";

/** What is asked of the people of an event. */
export interface AskedAttendance {
  readonly userId?: string;
  readonly attendeeIds?: readonly string[];
  readonly attendees?: readonly string[];
  readonly status?: Attendee["status"];
}

/** The people that a request names, in whichever field, and that field. */
export function askedPeople(
  { userId, attendeeIds, attendees }: AskedAttendance,
): { field: string; ids: readonly string[] } | null {
  if (attendeeIds) return { field: "attendeeIds", ids: [...new Set(attendeeIds)] };
  if (attendees) return { field: "attendees", ids: [...new Set(attendees)] };
  return userId === undefined ? null : { field: "userId", ids: [userId] };
}

/**
 * Plans invitations for those who do not attend yet. Whoever acts has accepted; the others are asked, and told.
 *
 * @param leaving How many the same plan takes out: a plan does not count them as gone.
 * @returns Whom to mail when the plan is committed; see `mailInvitations`.
 * @throws {ApiError} VALIDATION_ERROR for people who are not there; CONFLICT for too many.
 */
export async function planInvitations(
  tx: Transaction,
  actor: User,
  event: Event,
  { field, ids }: { field: string; ids: readonly string[] },
  ownStatus: Attendee["status"] = "accepted",
  leaving = 0,
): Promise<readonly User[]> {
  const attending = new Set((await attendeesAmong(tx, event, ids)).map(({ userId }) => userId));
  const added = await activeUsers(tx, ids.filter((id) => !attending.has(id)), field);
  await assertRoom(tx, event, added.length - leaving);
  for (const user of added) {
    const own = user.id === actor.id;
    const status = own ? ownStatus : "pending";
    tx.insert(attendees, { eventId: event.id, userId: user.id, status });
  }
  const invited = added.filter((user) => user.id !== actor.id);
  for (const user of invited) {
    const text = `${actor.name} invites you: ${timeOf(event, user.timeZone)}`;
    const title = `Invitation: ${event.title}`;
    tell(tx, event, user.id, { title, text, aboutId: actor.id });
  }
  return invited;
}

/** @throws {ApiError} CONFLICT when so many more are too many. */
async function assertRoom(tx: Transaction, event: Event, more: number): Promise<void> {
  if (more <= 0) return;
  if (await tx.from(attendees).count({ eventId: event.id }) + more <= MAX_ATTENDEES) return;
  throw conflict(`An event has at most ${MAX_ATTENDEES} attendees`);
}

/** Those of the users who attend already. */
async function attendeesAmong(
  tx: Transaction,
  event: Event,
  ids: readonly string[],
): Promise<readonly Attendee[]> {
  const found = await Promise.all(
    ids.map((id) => tx.from(attendees).findBy("attendee", event.id, id)),
  );
  return found.filter((attendee) => attendee !== null);
}

/** Mails those who were invited, after the commit. */
export function mailInvitations(
  services: Services,
  actor: User,
  event: Event,
  invited: readonly User[],
): void {
  for (const user of invited) {
    mailNotice(services, actor, user, () => eventInvitationMail(user, event, actor));
  }
}

/**
 * Plans what one request changes of who attends: the owner invites, an attendee answers.
 *
 * @throws {ApiError} FORBIDDEN for an attendee who names others; VALIDATION_ERROR for an answer in the name of others;
 * CONFLICT when all who are invited attend already.
 */
export async function planAttendance(
  tx: Transaction,
  principal: Principal,
  event: Event,
  asked: AskedAttendance,
): Promise<readonly User[]> {
  const { user } = principal;
  const people = askedPeople(asked);
  if (!people) throw invalid("userId", "give userId or attendeeIds");
  const others = people.ids.filter((id) => id !== user.id);
  if (others.length > 0) {
    if (!mayChange(principal, event)) throw forbidden("Only its owner invites to an event");
    if (asked.status !== undefined && asked.status !== "pending") {
      throw invalid("status", "others answer for themselves: they start as pending");
    }
  }
  const attending = await attendeesAmong(tx, event, people.ids);
  const own = attending.find(({ userId }) => userId === user.id);
  const answers = own !== undefined && asked.status !== undefined;
  if (!answers && attending.length === people.ids.length) throw conflict("They attend already");
  if (own && asked.status !== undefined && asked.status !== own.status) {
    tx.update(attendees, own, { status: asked.status });
    const title = `${user.name} answered: ${event.title}`;
    const text = `${user.name}: ${asked.status}`;
    if (event.ownerId !== user.id) {
      tell(tx, event, event.ownerId, { title, text, aboutId: user.id });
    }
  }
  tx.update(events, event, {});
  return await planInvitations(tx, user, event, people, asked.status);
}

/** Plans that exactly these attend. @returns Whom to mail, as `planInvitations`. */
export async function planAttendees(
  tx: Transaction,
  actor: User,
  event: Event,
  people: { field: string; ids: readonly string[] },
): Promise<readonly User[]> {
  const staying = new Set(people.ids);
  const attending = await everyMatch(tx, attendees, { eventId: event.id });
  const leaving = attending.filter(({ userId }) => !staying.has(userId));
  for (const attendee of leaving) await planLeaving(tx, actor, event, attendee);
  return await planInvitations(tx, actor, event, people, "accepted", leaving.length);
}

/** Plans that someone does not attend any more, whether they leave or are taken out. */
export async function planLeaving(
  tx: Transaction,
  actor: User,
  event: Event,
  attendee: Attendee,
): Promise<void> {
  const { userId } = attendee;
  tx.remove(attendees, attendee);
  await withdraw(tx, event.id, userId);
  if (userId !== event.ownerId) {
    const where = { eventId: event.id, userId };
    for (const reminder of await everyMatch(tx, reminders, where)) tx.remove(reminders, reminder);
  }
  const left = userId === actor.id;
  const told = left ? event.ownerId : userId;
  if (told === actor.id) return;
  notify(tx, {
    userId: told,
    type: "user",
    title: left ? `${actor.name} left: ${event.title}` : `Not invited any more: ${event.title}`,
    content: timeOf(event, (await zonesOf(tx, [told])).get(told)),
    aboutId: left ? actor.id : undefined,
  });
}

/** Attendees and reminders that go in one commit, at most; those of one event always do. */
const MAX_ENDED = 2000;

/**
 * Plans the end of events, with all that hangs on them; those concerned are told.
 *
 * @throws {ApiError} CONFLICT when several events have too many attendees and reminders together.
 */
export async function planEventsRemoval(
  tx: Transaction,
  actor: User,
  doomed: readonly Event[],
): Promise<void> {
  const eventId = doomed.map(({ id }) => id);
  await assertTogether(tx, eventId);
  const attending = await everyMatch(tx, attendees, { eventId });
  for (const attendee of attending) tx.remove(attendees, attendee);
  for (const set of await everyMatch(tx, reminders, { eventId })) tx.remove(reminders, set);
  await withdraw(tx, eventId);
  const attendeesOf = Map.groupBy(attending, (attendee) => attendee.eventId);
  const told = doomed.flatMap((event) => {
    const concerned = new Set([event.ownerId]);
    for (const { userId } of attendeesOf.get(event.id) ?? []) concerned.add(userId);
    concerned.delete(actor.id);
    return [...concerned].map((userId) => ({ event, userId }));
  });
  const zones = await zonesOf(tx, [...new Set(told.map(({ userId }) => userId))]);
  for (const { event, userId } of told) {
    const title = `Cancelled: ${event.title}`;
    notify(tx, { userId, type: "user", title, content: timeOf(event, zones.get(userId)) });
  }
  for (const event of doomed) tx.remove(events, event);
}

async function assertTogether(tx: Transaction, eventId: readonly string[]): Promise<void> {
  if (eventId.length <= 1) return;
  const counts = await Promise.all([
    tx.from(attendees).count({ eventId }),
    tx.from(reminders).count({ eventId }),
  ]);
  const ended = counts[0] + counts[1];
  if (ended <= MAX_ENDED) return;
  throw conflict(
    `These events have ${ended} attendees and reminders: at most ${MAX_ENDED} end together`,
  );
}

/**
 * Plans to tell the owner, and those who attend and have not declined, that the event is at another time or place.
 *
 * @param staying Those who go on attending. @default everyone
 */
export async function planMoveNotices(
  tx: Transaction,
  actor: User,
  before: Event,
  after: Event,
  staying?: readonly string[],
): Promise<void> {
  const same = before.start === after.start && before.end === after.end &&
    before.location === after.location;
  if (same) return;
  const status = ["pending", "accepted", "tentative"];
  const where = { eventId: after.id, userId: staying, status };
  const attending = await everyMatch(tx, attendees, where);
  const concerned = new Set([after.ownerId, ...attending.map(({ userId }) => userId)]);
  concerned.delete(actor.id);
  const told = [...concerned];
  const zones = await zonesOf(tx, told);
  for (const userId of told) {
    const text = [timeOf(after, zones.get(userId)), after.location].filter(Boolean).join(", ");
    tell(tx, after, userId, { title: `Changed: ${after.title}`, text });
  }
}

function tell(
  tx: Transaction,
  event: Event,
  userId: string,
  { title, text, aboutId }: { title: string; text: string; aboutId?: string },
): void {
  const link = `/calendar/${event.id}`;
  const subjectId = event.id;
  notify(tx, { userId, type: "user", title, content: text, link, subjectId, aboutId });
}
