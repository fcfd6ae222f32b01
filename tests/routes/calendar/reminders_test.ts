// Reminders of events: one's own, before the start, replaced and removed.
import assert from "node:assert/strict";
import { harness } from "../../harness.ts";
import { reminders } from "../../../models/calendar.ts";
import { scenarios } from "../../scenario.ts";
import { arrange, base, create, reminderOf, type State, variant } from "./event_scene.ts";

const minute = 60_000;

scenarios("POST /calendar/events/{id}/reminder", {
  variant,
  arrange,
  rows: [
    {
      name: "minutes before the start, replaced when set again",
      method: "POST",
      path: reminderOf,
      as: "guest",
      body: { minutesBefore: 15 },
      status: 201,
      holds: {
        data: { remindAt: "2026-11-21T11:45:00.000Z", minutesBefore: 15, method: "notification" },
      },
      async after(h, _, state) {
        const fixed = { remindAt: "2026-11-21T11:00:00Z" };
        await h.ask("POST", reminderOf(state), { as: "guest", body: fixed });
        const mailed = { minutesBefore: 60, method: "EMAIL" };
        await h.ask("POST", reminderOf(state), { as: "guest", body: mailed });
        const { data } = await h.ask("GET", `${base}/${state.id}`, { as: "guest" });
        assert.deepEqual(data.reminders.map(({ id: _, ...rest }: { id: string }) => rest), [
          { remindAt: "2026-11-21T11:00:00.000Z", method: "notification" },
          { remindAt: "2026-11-21T11:00:00.000Z", minutesBefore: 60, method: "email" },
        ]);
        const owner = await h.ask("GET", `${base}/${state.id}`, { as: "admin" });
        assert.deepEqual(owner.data.reminders, []);
      },
    },
    {
      name: "in the past",
      method: "POST",
      path: reminderOf,
      as: "guest",
      body: { remindAt: "2026-11-21T10:00:00Z" },
      status: 400,
      details: ["remindAt"],
    },
    {
      name: "no time",
      method: "POST",
      path: reminderOf,
      as: "guest",
      body: {},
      status: 400,
      details: ["remindAt"],
    },
    {
      name: "two times",
      method: "POST",
      path: reminderOf,
      as: "guest",
      body: { remindAt: "2026-11-21T11:00:00Z", minutesBefore: 5 },
      status: 400,
      details: ["remindAt"],
    },
    {
      name: "bad values",
      method: "POST",
      path: reminderOf,
      as: "guest",
      body: { minutesBefore: -1, method: "pigeon" },
      status: 400,
      details: ["method", "minutesBefore"],
    },
    {
      name: "of an event one does not see",
      method: "POST",
      path: ({ foreign }: State) => `${base}/${foreign}/reminder`,
      as: "guest",
      body: { minutesBefore: 5 },
      status: 404,
    },
    { name: "signed out", method: "POST", path: reminderOf, body: {}, status: 401 },
  ],
});

Deno.test("POST /calendar/events/{id}/reminder: an event that has started", async () => {
  await using h = await harness({ variant });
  const state = await arrange(h);
  h.clock.advance(120 * minute);
  const reply = await h.ask("POST", reminderOf(state), { as: "guest", body: { minutesBefore: 0 } });
  assert.equal(reply.status, 400);
  assert.equal(reply.body.error.details[0].field, "minutesBefore");
});

scenarios("DELETE /calendar/events/{id}/reminder", {
  variant,
  arrange: async (h) => {
    const state = await arrange(h);
    for (const method of ["notification", "email"]) {
      const body = { minutesBefore: 5, method };
      await h.ask("POST", reminderOf(state), { as: "guest", body });
    }
    return state;
  },
  rows: [
    {
      name: "of one method",
      method: "DELETE",
      path: (state: State) => `${reminderOf(state)}?method=email`,
      as: "guest",
      status: 200,
      async after(h, _, state) {
        const { data } = await h.ask("GET", `${base}/${state.id}`, { as: "guest" });
        assert.deepEqual(data.reminders.map((one: { method: string }) => one.method), [
          "notification",
        ]);
      },
    },
    {
      name: "all",
      method: "DELETE",
      path: reminderOf,
      as: "guest",
      status: 200,
      async after(h) {
        assert.equal(await h.store.from(reminders).count(), 0);
      },
    },
    { name: "one's own alone", method: "DELETE", path: reminderOf, as: "admin", status: 404 },
    {
      name: "a bad method",
      method: "DELETE",
      path: (state: State) => `${reminderOf(state)}?method=pigeon`,
      as: "guest",
      status: 400,
      details: ["method"],
    },
    { name: "signed out", method: "DELETE", path: reminderOf, status: 401 },
  ],
});

scenarios("reminders without permissions", {
  variant,
  arrange: (h) => create(h, "user", { title: "x", start: "2026-11-22" }),
  rows: [
    {
      name: "POST reminder",
      method: "POST",
      path: (id: string) => `${base}/${id}/reminder`,
      as: "guest" as const,
      body: {},
      status: 403,
    },
    {
      name: "DELETE reminder",
      method: "DELETE",
      path: (id: string) => `${base}/${id}/reminder`,
      as: "guest" as const,
      status: 403,
    },
  ],
});
