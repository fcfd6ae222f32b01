// Webhooks of real processes: one that is killed among deliveries loses none, and two on one database tell each event
// once.
import assert from "node:assert/strict";
import { type Client, client, signIn } from "../../client.ts";
import { startServer } from "../../server.ts";
import { eachShared } from "../../shared_databases.ts";
import { until } from "../../until.ts";
import { openReceiver, type Receiver } from "../../webhook_receiver.ts";

const PASSWORD = "tells what happens";
const env = {
  VARIANT: "full",
  ADMIN_PASSWORD: PASSWORD,
  WEBHOOK_ALLOW_PRIVATE: "true",
  JWT_SECRET: "the access secret of these processes",
  REFRESH_TOKEN_SECRET: "the refresh secret of these processes",
};

async function addHook(ask: Client, { url }: Receiver): Promise<string> {
  const body = { url, events: ["documents.created"] };
  const made = await ask("POST", "/api/webhooks", body);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body.data.id;
}

/** Documents, by several writers at once. @returns The ids of those that were acknowledged. */
async function write(
  asks: readonly Client[],
  count: number,
  on: (done: number) => void = () => {},
) {
  const made: string[] = [];
  await Promise.allSettled(Array.from({ length: count }, async (_, n) => {
    const body = { title: `Document ${n}` };
    const { status, body: answer } = await asks[n % asks.length]!("POST", "/api/documents", body);
    if (status === 201) on(made.push(answer.data.id));
  }));
  return made;
}

const toldOf = ({ received }: Receiver) => received.map(({ event }) => event.data.id as string);

for (
  const [engine, database] of [["Deno KV", {}], ["SQLite", {
    DATABASE_URL: "sqlite:main.db",
  }]] as const
) {
  Deno.test(`webhooks: kill -9 among deliveries loses no event (${engine})`, async () => {
    await using receiver = openReceiver();
    const settings = { ...env, DENO_KV_PATH: "main.kv", ...database };
    const store = engine === "Deno KV" ? { ...settings, DATABASE_URL: "kv:main.kv" } : settings;
    const first = await startServer(store);
    const ask = client(first, await signIn(first, PASSWORD));
    await addHook(ask, receiver);
    await write([ask], 1);
    await receiver.arrived(1);
    let killed: Promise<unknown> | undefined;
    const [before = ""] = toldOf(receiver);
    receiver.answer = async () => {
      // Some arrive, some are on their way, and some are not yet made when the process ends.
      if (receiver.received.length >= 20) killed ??= first.stop("SIGKILL");
      await new Promise((resolve) => setTimeout(resolve, 5));
      return new Response();
    };
    const made = await write([ask], 120);
    await until(() => killed !== undefined, "the kill");
    await killed;
    assert.ok(made.length > 0);
    const missing = () => [before, ...made].filter((id) => !toldOf(receiver).includes(id));
    const second = await startServer(store, first.folder);
    try {
      await until(() => missing().length === 0, "the last event");
      // One that had arrived may arrive again, under the id that it came with.
      const ids = new Map(receiver.received.map(({ id, event }) => [id, event.data.id]));
      assert.equal(ids.size, new Set(toldOf(receiver)).size, "an event became two deliveries");
    } finally {
      await second.stop();
      await Deno.remove(first.folder, { recursive: true });
    }
  });
}

eachShared(
  "webhooks: of two processes each event is told by one, and by the other once that ends",
  async ({ url }) => {
    await using receiver = openReceiver();
    const settings = { ...env, DATABASE_URL: url };
    const [one, two] = await Promise.all([startServer(settings), startServer(settings)]);
    await using _two = two;
    const token = await signIn(one, PASSWORD);
    const asks = [client(one, token), client(two, token)];
    const id = await addHook(asks[0]!, receiver);
    const made = await write(asks, 60);
    assert.equal(made.length, 60);
    const all = async () => {
      const { body } = await asks[1]!("GET", `/api/webhooks/${id}/deliveries?status=delivered`);
      return body.pagination.total as number;
    };
    await until(async () => await all() === 60, "the deliveries");
    assert.deepEqual(toldOf(receiver).sort(), made.sort());

    await one.stop("SIGTERM");
    await Deno.remove(one.folder, { recursive: true });
    const later = await write([asks[1]!], 5);
    await until(async () => await all() === 65, "what the other tells");
    assert.deepEqual(toldOf(receiver).sort(), [...made, ...later].sort());
  },
);
