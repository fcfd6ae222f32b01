// An event of one person that another attends, and what the routes under it are asked by.
import assert from "node:assert/strict";
import type { Account, Harness } from "../../harness.ts";

export const variant = "full";
export const base = "/api/calendar/events";

/** Makes an event; answers its id. */
export async function create(h: Harness, as: Account, body: Record<string, unknown>) {
  const reply = await h.ask("POST", base, { as, body });
  assert.equal(reply.status, 201, reply.text);
  return reply.data.id as string;
}

/**
 * An event of admin at 12:00, two hours from now, which guest attends. In full the role user manages the calendar;
 * admin and guest hold single permissions.
 */
export async function arrange(h: Harness) {
  for (const account of ["admin", "guest"] as const) {
    await h.grant(account, "calendar:view", "calendar:create", "calendar:update");
  }
  const { guest } = h.accounts;
  const id = await create(h, "admin", {
    title: "Planning",
    start: "2026-11-21T12:00:00Z",
    location: "Room 1",
    attendeeIds: [guest.id],
  });
  h.mails.length = 0;
  return {
    id,
    h,
    foreign: await create(h, "user", { title: "Secret", start: "2026-11-21T12:00:00Z" }),
  };
}

export type State = Awaited<ReturnType<typeof arrange>>;

export const attendeesOf = ({ id }: State) => `${base}/${id}/attendees`;
export const reminderOf = ({ id }: State) => `${base}/${id}/reminder`;
export const self = (account: Account) => ({ id, h }: State) =>
  `${base}/${id}/attendees/${h.accounts[account].id}`;

/** The titles of what someone has been told, newest first. */
export async function titlesOf(h: Harness, as: Account): Promise<string[]> {
  const { data } = await h.ask("GET", "/api/notifications", { as });
  return data.map((told: { title: string }) => told.title);
}
