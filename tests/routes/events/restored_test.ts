// Ids of events on a store that was restored: its journal comes to positions that the former one had, too, where something
// else happened.
import assert from "node:assert/strict";
import { createApp } from "../../../app.ts";
import { listen } from "../../event_stream.ts";
import { type Harness, harness } from "../../harness.ts";

/** The same store as its own restored copy would be served. */
function restored(h: Harness, journal: string): Pick<Harness, "app" | "tokens"> {
  const { store, settings, clock, app: { services: { mailer } } } = h;
  const app = createApp({
    store,
    journal,
    settings,
    mailer,
    clock: clock.now,
    elapsed: clock.elapsed,
  });
  return { app, tokens: h.tokens };
}

async function newDocument(at: Pick<Harness, "app" | "tokens">): Promise<string> {
  const response = await at.app.fetch(
    new Request("http://localhost/api/documents", {
      method: "POST",
      headers: {
        authorization: `Bearer ${at.tokens.super}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ title: "New" }),
    }),
    { ip: "127.0.0.1" },
  );
  assert.equal(response.status, 201, await response.text());
  return response.headers.get("x-journal-position")!;
}

Deno.test("restored: an id of the former journal is answered by a reset, though there is such a position", async () => {
  await using h = await harness();
  const former = await newDocument(h);
  await newDocument(h);
  const again = restored(h, "0123abcd");
  try {
    for (const id of [former, `89abcdef~${former}`]) {
      const listener = await listen(again, "super", `?lastEventId=${id}&collections=documents`);
      const reset = await listener.event("reset");
      assert.deepEqual(reset.data, { reason: "too-old", collections: null });
      assert.match(reset.id, /^0123abcd~/);
      await listener.reaches(await newDocument(again));
      assert.equal(listener.told.length, 2, listener.told.join());
      await listener.drop();
    }
    const back = await listen(h, "super", `?lastEventId=0123abcd~${former}`);
    assert.equal((await back.event("reset")).data.reason, "too-old");
    await back.drop();
  } finally {
    again.app.services.events.close();
  }
});

Deno.test("restored: ids of its own resume as anywhere, and are in order with the positions of writes", async () => {
  await using h = await harness();
  const again = restored(h, "0123abcd");
  try {
    const first = await newDocument(again);
    assert.match(first, /^0123abcd~[0-9a-f]/);
    const second = await newDocument(again);
    const listener = await listen(again, "super", `?lastEventId=${first}&collections=documents`);
    await listener.reaches(second);
    assert.equal(listener.told.length, 1, listener.told.join());
    assert.ok(listener.lastEventId >= second && second > first);
    await listener.drop();
    const behind = await listen(
      again,
      "super",
      `?lastEventId=${listener.lastEventId}&collections=documents`,
    );
    await behind.reaches(await newDocument(again));
    assert.equal(behind.told.length, 1, behind.told.join());
    await behind.drop();
  } finally {
    again.app.services.events.close();
  }
});
