// A client that connects, drops and resumes at random while others write is told exactly what the journal says, in its
// order, once; on two processes too.
import assert from "node:assert/strict";
import fc from "fast-check";
import { createApp } from "../../../app.ts";
import { documents } from "../../../models/documents.ts";
import { eventsOf } from "../../../services/events/event.ts";
import { openSqlStore } from "../../../sql/store.ts";
import type { Store } from "../../../storage/port.ts";
import { listen, type Listener, type Received } from "../../event_stream.ts";
import { type Harness, harness } from "../../harness.ts";
import { postgresDatabase } from "../../sql/databases.ts";
import { pause } from "../../until.ts";

type Step =
  /** Commits this many documents of the reader's, and as many of another's. */
  | { readonly kind: "insert"; readonly count: number }
  | { readonly kind: "update" | "remove" | "connect" | "drop" | "wait" }
  /** The connection is lost before the last of what came was dealt with. */
  | { readonly kind: "forget"; readonly count: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("insert" as const), count: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ kind: fc.constantFrom("update", "remove", "connect", "drop", "wait") }),
  fc.record({ kind: fc.constant("forget" as const), count: fc.integer({ min: 1, max: 5 }) }),
);

/** The reader: what it has dealt with, and its connection. */
class Reader {
  readonly dealt: Received[] = [];
  last: string;
  #listener: Listener | null = null;

  constructor(readonly apps: readonly Pick<Harness, "app" | "tokens">[], position: string) {
    this.last = position;
  }

  async connect(n: number): Promise<void> {
    if (this.#listener) return;
    const app = this.apps[n % this.apps.length]!;
    this.#listener = await listen(app, "user", `?collections=documents&lastEventId=${this.last}`);
  }

  /** @param forgotten Of what came last. */
  async drop(forgotten = 0): Promise<void> {
    const listener = this.#listener;
    if (!listener) return;
    this.#listener = null;
    await listener.drop();
    const kept = listener.events.slice(0, Math.max(0, listener.events.length - forgotten));
    this.dealt.push(...kept);
    this.last = forgotten > 0 ? kept.at(-1)?.id ?? this.last : listener.lastEventId;
  }

  async finish(n: number, position: string): Promise<void> {
    await this.connect(n);
    await this.#listener!.reaches(position);
    await this.drop();
  }
}

async function play(
  apps: readonly Pick<Harness, "app" | "tokens">[],
  stores: readonly Store[],
  owners: { readonly user: string; readonly other: string },
  steps: readonly Step[],
): Promise<void> {
  const actor = { userId: owners.user };
  const start = stores[0]!.position();
  const reader = new Reader(apps, start);
  const kept: string[] = [];
  let end = start;
  const write = async (n: number, plan: Parameters<Store["transact"]>[1]) =>
    await stores[n % stores.length]!.transact(actor, plan, (position) => end = position);
  for (const [n, step] of steps.entries()) {
    if (step.kind === "connect") await reader.connect(n);
    else if (step.kind === "drop") await reader.drop();
    else if (step.kind === "forget") await reader.drop(step.count);
    else if (step.kind === "wait") await pause(5);
    else if (step.kind === "insert") {
      await write(n, (tx) => {
        for (let k = 0; k < step.count; k++) {
          const fields = { title: `${n}`, content: "", type: "document" as const, size: 0 };
          kept.push(tx.insert(documents, { ...fields, ownerId: owners.user }).id);
          tx.insert(documents, { ...fields, ownerId: owners.other });
        }
      });
    } else {
      const id = step.kind === "remove" ? kept.shift() : kept[0];
      if (id === undefined) continue;
      await write(n, async (tx) => {
        const document = (await tx.from(documents).get(id))!;
        if (step.kind === "remove") tx.remove(documents, document);
        else tx.update(documents, document, { title: `changed ${n}` });
      });
    }
  }
  // What is told last, so that the reader knows when all was.
  await write(0, (tx) => {
    const fields = { title: "last", content: "", type: "document" as const, size: 0 };
    tx.insert(documents, { ...fields, ownerId: owners.user });
  });
  await reader.finish(steps.length, end);

  const expected: string[] = [];
  for await (const entry of stores[0]!.changes({ after: start })) {
    for (const { collection, op, id, traits, position } of eventsOf(entry)) {
      if (collection !== "documents" || traits.ownerId !== owners.user) continue;
      expected.push(`${position} documents.${op} ${id}`);
    }
    if (entry.seq >= end) break;
  }
  const told = reader.dealt.map(({ id, type, data }) => `${id} ${type} ${data.id}`);
  assert.deepEqual(told, expected);
}

const plays = fc.array(step, { minLength: 5, maxLength: 30 });

Deno.test("resuming: a client that drops and resumes at random is told the journal, in order, once", async () => {
  await using h = await harness({ env: { EVENT_STREAMS_PER_USER: "100" } });
  const owners = { user: h.accounts.user.id, other: h.accounts.other.id };
  await fc.assert(
    fc.asyncProperty(plays, (steps) => play([h], [h.store], owners, steps)),
    { numRuns: 25 },
  );
});

Deno.test("resuming: so it is on two processes of one Postgres, whichever is asked and writes", async () => {
  const database = await postgresDatabase();
  try {
    const open = (clock: () => Date) =>
      openSqlStore({ url: database.url, clock, pool: { max: 4 } });
    await using h = await harness({ open, env: { EVENT_STREAMS_PER_USER: "100" } });
    const store = await open(h.clock.now);
    const { settings, app: { services: { mailer } } } = h;
    const app = createApp({
      store,
      settings,
      mailer,
      clock: h.clock.now,
      elapsed: h.clock.elapsed,
    });
    const owners = { user: h.accounts.user.id, other: h.accounts.other.id };
    try {
      await fc.assert(
        fc.asyncProperty(
          plays,
          (steps) => play([h, { app, tokens: h.tokens }], [h.store, store], owners, steps),
        ),
        { numRuns: 8 },
      );
    } finally {
      app.services.events.close();
      await store.close();
    }
  } finally {
    await database.drop();
  }
});
