// The dashboard in one answer: each part is what its own route gives.
import assert from "node:assert/strict";
import { harness } from "../../harness.ts";

Deno.test("overview: each part is what its own route gives", async () => {
  await using h = await harness();
  const ask = async (path: string) =>
    (await h.ask("GET", `/api/dashboard/${path}`, { as: "super" })).data;
  await h.ask("POST", "/api/dashboard/sales", {
    as: "super",
    body: { date: "2026-11-20", amount: 12.5, orders: 2 },
  });
  for (const status of ["pending", "in_progress", "done"]) {
    await h.ask("POST", "/api/dashboard/tasks", { as: "super", body: { title: status, status } });
  }
  await h.ask("POST", "/api/calendar/events", {
    as: "super",
    body: { title: "Today", start: "2026-11-21T15:00:00Z" },
  });
  const overview = await ask("overview");
  for (const part of ["stats", "visits", "sales", "pie", "calendar"]) {
    assert.deepEqual(overview[part], await ask(part), part);
  }
  assert.deepEqual(overview.tasks, await ask("tasks?status=pending&status=in_progress"));
  assert.equal(overview.calendar[0].title, "Today");
  const other = (await h.ask("GET", "/api/dashboard/overview", { as: "user" })).data;
  assert.deepEqual(other.calendar, []);
  assert.equal((await h.ask("GET", "/api/dashboard/overview")).status, 401);
  const zone = await h.ask("GET", "/api/dashboard/overview?tz=Nowhere", { as: "super" });
  assert.equal(zone.status, 400);
});
