// Daily check-ins: which local day it is, whether the streak goes on, and how many points there are. No storage here.
import type { Checkin } from "../../models/snippets.ts";
import { dayOf } from "../calendar/schedule.ts";

export const MIN_POINTS = 20;
export const MAX_POINTS = 50;

/** What a check-in leaves behind. */
export type CheckinState = Pick<
  Checkin,
  "totalPoints" | "streak" | "lastDay" | "lastDayEndsAt" | "timeZone" | "points"
>;

/**
 * The state after a check-in; null when the day already has one. A day is counted in the zone it was checked in from
 * and lasts until it ends there; the next one must also have a later date, so that moving between zones gives no day
 * twice.
 *
 * @param points What the check-in is worth.
 */
export function checkIn(
  before: CheckinState | null,
  { now, zone, points }: { now: Date; zone: string; points: number },
): CheckinState | null {
  const today = dayOf(now, zone);
  if (before && (now.toISOString() < before.lastDayEndsAt || today.date <= before.lastDay)) {
    return null;
  }
  // The date after the last day depends on its zone: now and then a zone skips a whole date.
  const goesOn = before !== null &&
    today.date === dayOf(new Date(before.lastDayEndsAt), before.timeZone).date;
  return {
    points,
    totalPoints: (before?.totalPoints ?? 0) + points,
    streak: goesOn ? before.streak + 1 : 1,
    lastDay: today.date,
    lastDayEndsAt: today.end,
    timeZone: zone,
  };
}

/** A byte from the system's generator. */
function randomByte(): number {
  return crypto.getRandomValues(new Uint8Array(1))[0]!;
}

/**
 * 20 to 50, each as likely as the other: bytes beyond the last whole multiple of the range are drawn again.
 *
 * @param draw Gives a whole number from 0 to 255.
 */
export function drawPoints(draw: () => number = randomByte): number {
  const range = MAX_POINTS - MIN_POINTS + 1;
  const limit = 256 - 256 % range;
  let byte = draw();
  while (byte >= limit) byte = draw();
  return MIN_POINTS + byte % range;
}
