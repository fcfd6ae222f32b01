// A commit of thousands of records is told in full, whoever reads however slowly.
import assert from "node:assert/strict";
import { events } from "../../../models/calendar.ts";
import { eventsOf } from "../../../services/events/event.ts";
import { listen, Listener } from "../../event_stream.ts";
import { type Harness, harness } from "../../harness.ts";
import { pause, until } from "../../until.ts";

const COUNT = 3000;

/** Imports so many calendar events in one commit. @returns The ids of what it tells, in order. */
async function importEvents(h: Harness): Promise<string[]> {
  const note = "n".repeat(400);
  const lines = Array.from(
    { length: COUNT },
    (_, n) => `Meeting ${n},${note},2026-12-01T09:00:00Z,2026-12-01T10:00:00Z`,
  );
  const reply = await h.ask("POST", "/api/calendar/events/import?dryRun=false", {
    as: "super",
    body: `title,description,start,end\n${lines.join("\n")}\n`,
    headers: { "content-type": "text/csv" },
  });
  assert.ok(reply.status < 300, reply.text);
  const entry = await h.store.entry(reply.headers.get("x-journal-position")!);
  const told = eventsOf(entry!).filter(({ collection }) => collection === events.name);
  assert.equal(told.length, COUNT);
  return told.map(({ position }) => position);
}

async function assertTold(listener: Listener, expected: readonly string[]): Promise<void> {
  const last = expected.at(-1)!;
  await until(() => listener.ended || listener.events.at(-1)?.id === last, "the whole commit");
  assert.deepEqual(listener.events.map(({ id }) => id), expected);
}

Deno.test("large commits: all is told once and in order, live and to who resumes", async () => {
  await using h = await harness();
  const queries = ["?collections=events", "?collections=events&records=true"];
  const live = await Promise.all(queries.map((query) => listen(h, "super", query)));
  const before = h.store.position();
  const expected = await importEvents(h);
  for (const [n, query] of queries.entries()) {
    await assertTold(live[n]!, expected);
    const later = await listen(h, "super", `${query}&lastEventId=${before}`);
    await assertTold(later, expected);
    const within = await listen(h, "super", `${query}&lastEventId=${expected[COUNT / 2]}`);
    await assertTold(within, expected.slice(COUNT / 2 + 1));
  }
});

Deno.test("large commits: a reader who pauses among them goes on where they were, and misses nothing behind", async () => {
  await using h = await harness();
  const query = "?collections=events&records=true";
  const request = new Request(`http://localhost/api/events${query}`, {
    headers: { authorization: `Bearer ${h.tokens.super}` },
  });
  const info = { remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 } };
  const response = await h.app.fetch(request, info);
  const expected = await importEvents(h);
  await pause(300);
  const single = await h.ask("POST", "/api/calendar/events", {
    as: "super",
    body: { title: "Later", start: "2026-12-02T09:00:00Z" },
  });
  assert.equal(single.status, 201, single.text);
  await pause(100);
  const reader = new Listener(response);
  await reader.event("events.created", single.data.id);
  assert.deepEqual(reader.events.slice(0, -1).map(({ id }) => id), expected);
});

Deno.test("large commits: readers who take nothing keep nobody else from resuming", async () => {
  await using h = await harness();
  const before = h.store.position();
  const expected = await importEvents(h);
  const query = `?collections=events&records=true&lastEventId=${before}`;
  const headers = { authorization: `Bearer ${h.tokens.super}` };
  const info = { remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 } };
  const stalled = [];
  for (let n = 0; n < 10; n++) {
    const request = new Request(`http://localhost/api/events${query}`, { headers });
    stalled.push(await h.app.fetch(request, info));
  }
  await pause(300);
  await assertTold(await listen(h, "super", query), expected);
  for (const { body } of stalled) await body!.cancel();
});
