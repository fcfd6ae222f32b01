// Webhooks from the command line: in process on two engines, and as a process of its own.
import assert from "node:assert/strict";
import { CommandError } from "../../cli/subcommands.ts";
import { runWebhooks } from "../../cli/webhooks.ts";
import { users } from "../../models/users.ts";
import {
  type Webhook,
  webhookDeliveries,
  type WebhookDelivery,
  webhooks,
} from "../../models/webhooks.ts";
import { variants } from "../../config/variants.ts";
import { seedRoles } from "../../services/accounts/first_start.ts";
import { openStore } from "../../storage/open.ts";
import type { NewRecord, Store } from "../../storage/port.ts";
import { permissionsFor } from "../start_task.ts";

const server = { userId: null };
const HOUR = ["2026-11-21T09:00:00.000Z", "2026-11-21T10:00:00.000Z"] as const;

interface Desk {
  readonly store: Store;
  readonly hook: Webhook;
  /** Runs a command; the lines it printed. */
  run(...args: string[]): Promise<string[]>;
  /** Adds a delivery of the webhook, or of another. */
  add(fields?: Partial<NewRecord<WebhookDelivery>>): Promise<WebhookDelivery>;
  status(id: string): Promise<string>;
}

function addHook(store: Store, fields: Partial<NewRecord<Webhook>> = {}): Promise<Webhook> {
  return store.transact(server, (tx) => {
    const owner = tx.insert(users, {
      name: "Owner",
      email: `${crypto.randomUUID()}@example.com`,
      passwordHash: "",
      role: "admin",
      permissions: [],
      status: "active",
    });
    return tx.insert(webhooks, {
      ownerId: owner.id,
      url: "https://hooks.example.com:8443/in/a-secret-path",
      events: ["documents.*", "users.created"],
      active: true,
      records: true,
      secret: "sealed",
      ...fields,
    });
  });
}

async function openSeeded(url: string): Promise<Store> {
  const store = await openStore({ url });
  await seedRoles(store, variants.full!);
  return store;
}

async function withStore(url: string, test: (desk: Desk) => Promise<void>) {
  const store = await openSeeded(url);
  try {
    const hook = await addHook(store);
    await test({
      store,
      hook,
      async run(...args) {
        const lines: string[] = [];
        const print = (line: string) => void lines.push(line);
        await runWebhooks(args, () => Promise.resolve({ store, print }));
        return lines;
      },
      add: (fields = {}) =>
        store.transact(server, (tx) =>
          tx.insert(webhookDeliveries, {
            webhookId: hook.id,
            type: "documents.created",
            at: HOUR[0],
            createdAt: HOUR[0],
            status: "failed",
            attempts: 10,
            history: ['{"at":"2026-11-21T09:00:00.000Z","status":503,"duration":5}'],
            ...fields,
          })),
      status: async (id) => (await store.from(webhookDeliveries).get(id))!.status,
    });
  } finally {
    await store.close();
  }
}

for (const url of ["kv::memory:", "sqlite::memory:"]) {
  const engine = url.split(":")[0];
  const test = (name: string, run: (desk: Desk) => Promise<void>) =>
    Deno.test(`webhooks command on ${engine}: ${name}`, () => withStore(url, run));

  test("list shows each with its state, and no more of its address than the host", async (desk) => {
    const { store, hook, run } = desk;
    const failing = await addHook(store, { failingSince: HOUR[0] });
    const gone = await addHook(store, {
      active: false,
      disabledReason: "gone",
      url: "https://gone.example.com/",
      events: ["*"],
    });
    const off = await addHook(store, { active: false });
    const lines = await run("list");
    assert.match(lines[0]!, /^ID +HOST +STATE +EVENTS$/);
    const shown = new Map(lines.slice(1).map((line) => [line.split(" ")[0]!, line]));
    assert.equal(shown.size, 4);
    const host = "hooks.example.com:8443";
    const events = "documents.*,users.created";
    assert.match(shown.get(hook.id)!, new RegExp(`${host} +active +${events.replace("*", "\\*")}`));
    assert.match(shown.get(failing.id)!, new RegExp(`failing since ${HOUR[0]}`));
    assert.match(shown.get(gone.id)!, /gone\.example\.com +stopped \(gone\) +\*$/);
    assert.match(shown.get(off.id)!, / stopped +documents/);
    assert.ok(!lines.join("\n").includes("a-secret-path"));
  });

  test("deliveries shows those of one webhook, by status, and says what it leaves out", async (desk) => {
    const { store, hook, run, add } = desk;
    const other = await addHook(store);
    await add({ webhookId: other.id });
    const failed = await add();
    const waiting = await add({ status: "pending", attempts: 0, history: [], dueAt: HOUR[1] });
    const unreached = await add({
      history: [`{"at":"${HOUR[0]}","error":"ECONN\\u001b[31m\\nREFUSED","duration":1}`],
    });
    const all = await run("deliveries", "--webhook", hook.id);
    assert.deepEqual(
      all.slice(1).map((line) => line.split(" ")[0]).sort(),
      [failed.id, waiting.id, unreached.id].sort(),
    );
    const line = all.find((line) => line.startsWith(failed.id))!;
    assert.match(line, new RegExp(`${HOUR[0]} +documents\\.created +failed +10 +503$`));
    // What an address answers reaches the terminal as one plain line.
    assert.match(all.find((line) => line.startsWith(unreached.id))!, /ECONN \[31m REFUSED$/);
    const pending = await run("deliveries", "--webhook", hook.id, "--status", "pending");
    assert.deepEqual(pending.slice(1).map((line) => line.split(" ")[0]), [waiting.id]);
    for (let n = 0; n < 98; n++) await add();
    const many = await run("deliveries", "--webhook", hook.id);
    assert.equal(many.length, 1 + 100 + 1);
    assert.equal(many.at(-1), "The newest 100 of 101");
  });

  test("replay makes one due at once, whatever it was", async ({ store, run, add }) => {
    for (const status of ["failed", "delivered", "pending"] as const) {
      const { id } = await add({ status });
      const before = Date.now();
      assert.deepEqual(await run("replay", "--delivery", id), [`${id} is sent again`]);
      const after = (await store.from(webhookDeliveries).get(id))!;
      assert.deepEqual([after.status, after.attempts], ["pending", 0]);
      assert.ok(Date.parse(after.dueAt!) >= before && Date.parse(after.dueAt!) <= Date.now());
      assert.equal(after.history.length, 1, "the attempts so far are kept");
    }
  });

  test("replay of a time takes those that failed in it, over all pages, and no others", async (desk) => {
    const { store, hook, run, add, status } = desk;
    const other = await addHook(store);
    const within = [];
    for (let n = 0; n < 103; n++) within.push((await add()).id);
    const delivered = await add({ status: "delivered" });
    const foreign = await add({ webhookId: other.id });
    const late = await add({ createdAt: HOUR[1] });
    const range = ["--webhook", hook.id, "--from", HOUR[0]];
    assert.deepEqual(await run("replay", ...range, "--to", HOUR[1]), [
      "103 deliveries are sent again",
    ]);
    for (const id of within) assert.equal(await status(id), "pending");
    assert.equal(await status(delivered.id), "delivered");
    assert.equal(await status(foreign.id), "failed");
    assert.equal(await status(late.id), "failed");
    assert.deepEqual(await run("replay", ...range, "--to", HOUR[1]), [
      "0 deliveries are sent again",
    ]);
    assert.deepEqual(await run("replay", ...range, "--to", HOUR[1], "--status", "delivered"), [
      "1 delivery is sent again",
    ]);
    // Without an end, up to now.
    assert.deepEqual(await run("replay", ...range), ["1 delivery is sent again"]);
    assert.equal(await status(late.id), "pending");
  });

  test("what cannot be done is told, and changes nothing", async ({ hook, run, add, status }) => {
    const { id } = await add();
    const refused: [RegExp, ...string[]][] = [
      [/^Usage:/],
      [/^Usage:/, "nothing"],
      [/^Usage:/, "__proto__"],
      [/^Usage:/, "list", "more"],
      [/--force/, "list", "--force"],
      [/--webhook is missing/, "deliveries"],
      [/there is no webhook 'none'/, "deliveries", "--webhook", "none"],
      [/not 'all'/, "deliveries", "--webhook", hook.id, "--status", "all"],
      [/there is no such delivery/, "replay", "--delivery", "none"],
      [/--webhook is missing/, "replay"],
      [/--from is missing/, "replay", "--webhook", hook.id],
      [/--from: expected a time .* not 'noon'/, "replay", "--webhook", hook.id, "--from", "noon"],
    ];
    for (const [message, ...args] of refused) {
      await assert.rejects(run(...args), (error) => {
        assert.ok(error instanceof CommandError, String(error));
        assert.match(error.message, message, args.join(" "));
        return true;
      });
    }
    assert.equal(await status(id), "failed");
  });
}

Deno.test("webhooks command: a process of its own lists, and tells what is wrong by its exit code", async () => {
  const directory = await Deno.makeTempDir({ prefix: "quarterdeck-webhooks-" });
  const root = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");
  const env = { DATABASE_URL: `sqlite:${directory}/data/main.db` };
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-check", ...permissionsFor(env, root), "cli/webhooks.ts", ...args],
      env: { ...env, NO_COLOR: "1" },
      cwd: root,
    }).output();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return { code, out: text(stdout), err: text(stderr) };
  };
  try {
    const missing = await run("list");
    assert.deepEqual([missing.code, missing.out], [1, ""]);
    assert.match(missing.err, /there is no file .*main\.db/);
    const store = await openSeeded(env.DATABASE_URL);
    const { id } = await addHook(store).finally(() => store.close());
    const listed = await run("list");
    assert.deepEqual([listed.code, listed.err], [0, ""]);
    assert.match(listed.out, new RegExp(`^${id} +hooks\\.example\\.com`, "m"));
    const refused = await run("replay", "--delivery", "none");
    assert.deepEqual([refused.code, refused.out], [2, ""]);
    assert.match(refused.err, /there is no such delivery/);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
