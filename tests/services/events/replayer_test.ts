// Streams that read the journal behind others take turns with everything else on the event loop.
import assert from "node:assert/strict";
import { setImmediate } from "node:timers";
import type { JournalEntry } from "../../../storage/port.ts";
import { listen } from "../../event_stream.ts";
import { interposedHarness } from "../../interposed.ts";

/** Milliseconds that the engine holds the event loop for an entry, as one does that answers in the turn it is asked. */
const HELD = 2;
const COMMITS = 60;

Deno.test("replayer: others have their turns while much of the journal is read", async () => {
  await using h = await interposedHarness();
  let turn = 0, position = "";
  const turns = new Set<number>();
  for (let n = 0; n < COMMITS; n++) {
    const { headers } = await h.ask("POST", "/api/documents", {
      as: "super",
      body: { title: "One" },
    });
    position = headers.get("x-journal-position")!;
  }
  const changes = h.store.changes;
  h.store.changes = (options) => held(changes(options), () => turns.add(turn));
  let counting = true;
  (function count() {
    turn++;
    if (counting) setImmediate(count);
  })();
  const listener = await listen(h, "super", "?collections=documents&lastEventId=earliest");
  await listener.reaches(position);
  await listener.drop();
  counting = false;
  assert.equal(listener.told.length, COMMITS);
  assert.ok(turns.size >= COMMITS / 6, `all was read in ${turns.size} turns`);
});

async function* held(entries: AsyncIterable<JournalEntry>, next: () => void) {
  for await (const entry of entries) {
    const end = performance.now() + HELD;
    while (performance.now() < end);
    next();
    yield entry;
  }
}
