// Webhooks from the command line: `deno task webhooks`. A store that the server locks can be used once it is stopped.
import { answerHelp, print, tableOf } from "../core/command_line.ts";
import { moment } from "../models/requests.ts";
import { hostOf, type Webhook, webhookDeliveries, webhooks } from "../models/webhooks.ts";
import { singleLine } from "../services/messaging/mailer.ts";
import { planReplay, planReplayOf } from "../services/webhooks/replay.ts";
import { deliveryView } from "../services/webhooks/views.ts";
import type { Store } from "../storage/port.ts";
import { CommandError, runOnStore, subcommandIn } from "./subcommands.ts";

const USAGE = `Usage:
  deno task webhooks list
  deno task webhooks deliveries --webhook ID [--status pending|delivered|failed]
  deno task webhooks replay --delivery ID
  deno task webhooks replay --webhook ID --from TIME [--to TIME] [--status failed|delivered|all]

Times are in ISO 8601, such as 2026-11-21T09:00:00Z. Without --status, failed deliveries alone are sent again. What is
replayed goes out as soon as a server runs on the store.`;

/** Deliveries that are shown. */
const SHOWN = 100;
const server = { userId: null };

const NAMES = ["webhook", "delivery", "status", "from", "to"] as const;

type Options = { readonly [K in typeof NAMES[number]]?: string };

export interface Context {
  readonly store: Store;
  /** Writes a line. */
  readonly print: (line: string) => void;
}

const commands: Readonly<Record<string, (context: Context, options: Options) => Promise<void>>> = {
  list,
  deliveries,
  replay,
};

/**
 * Does what the arguments say.
 *
 * @param open Called when the arguments are understood.
 * @throws {CommandError}
 */
export async function runWebhooks(
  args: readonly string[],
  open: () => Promise<Context>,
): Promise<void> {
  const { command, options } = subcommandIn(args, { commands, names: NAMES, usage: USAGE });
  await command(await open(), options);
}

async function list({ store, print }: Context): Promise<void> {
  const rows = [["ID", "HOST", "STATE", "EVENTS"]];
  for await (const hook of store.from(webhooks).scan()) {
    rows.push([hook.id, hostOf(hook.url), stateOf(hook), hook.events.join(",")]);
  }
  printTable(rows, print);
}

function stateOf({ active, failingSince, disabledReason }: Webhook): string {
  if (!active) return disabledReason ? `stopped (${disabledReason})` : "stopped";
  return failingSince ? `failing since ${failingSince}` : "active";
}

async function deliveries({ store, print }: Context, options: Options): Promise<void> {
  const { id: webhookId } = await webhookOf(store, options);
  const status = oneOf(options, ["pending", "delivered", "failed"]);
  const where = status === undefined ? { webhookId } : { webhookId, status };
  const { rows, total } = await store.from(webhookDeliveries).list({ where, limit: SHOWN });
  const shown = [["ID", "MADE", "TYPE", "STATUS", "ATTEMPTS", "LAST"]];
  for (const row of rows) {
    const { id, createdAt, type, status, attempts, last } = deliveryView(row);
    const came = last ? String(last.status ?? last.error) : "";
    shown.push([id, createdAt, type, status, String(attempts), came]);
  }
  printTable(shown, print);
  if (total > rows.length) print(`The newest ${rows.length} of ${total}`);
}

async function replay(context: Context, options: Options): Promise<void> {
  if (options.delivery === undefined) return await replayRange(context, options);
  const { store, print } = context;
  const id = options.delivery;
  await store.transact(server, async (tx) => {
    const delivery = await tx.from(webhookDeliveries).get(id);
    if (!delivery) throw new CommandError(`Cannot replay ${id}: there is no such delivery`);
    planReplay(tx, delivery);
  });
  print(`${id} is sent again`);
}

async function replayRange({ store, print }: Context, options: Options): Promise<void> {
  const { id } = await webhookOf(store, options);
  const from = timeOf("from", options.from);
  const to = options.to === undefined ? new Date().toISOString() : timeOf("to", options.to);
  const status = oneOf(options, ["failed", "delivered", "all"]) ?? "failed";
  let count = 0;
  let cursor: string | undefined;
  do {
    const asked = { from, to, status: status as "failed" | "delivered" | "all", cursor };
    const done = await store.transact(server, (tx) => planReplayOf(tx, id, asked));
    count += done.count;
    cursor = done.nextCursor ?? undefined;
  } while (cursor !== undefined);
  print(`${count} ${count === 1 ? "delivery is" : "deliveries are"} sent again`);
}

async function webhookOf(store: Store, { webhook: id }: Options): Promise<Webhook> {
  if (id === undefined) throw new CommandError(`--webhook is missing\n\n${USAGE}`);
  const hook = await store.from(webhooks).get(id);
  if (!hook) throw new CommandError(`--webhook: there is no webhook '${id}'`);
  return hook;
}

function timeOf(name: string, text: string | undefined): string {
  if (text === undefined) throw new CommandError(`--${name} is missing\n\n${USAGE}`);
  const { data, success } = moment.safeParse(text);
  if (!success) {
    throw new CommandError(
      `--${name}: expected a time such as 2026-11-21T09:00:00Z, not '${text}'`,
    );
  }
  return data;
}

function oneOf({ status }: Options, allowed: readonly string[]): string | undefined {
  if (status === undefined || allowed.includes(status)) return status;
  throw new CommandError(`--status: expected ${allowed.join(", ")}, not '${status}'`);
}

function printTable(rows: readonly string[][], print: (line: string) => void): void {
  for (const line of tableOf(rows.map((row) => row.map(singleLine)))) print(line);
}

if (import.meta.main) {
  answerHelp(USAGE);
  const otherwise = "Stop it first, or ask it: POST /api/webhooks/ID/replay";
  Deno.exit(
    await runOnStore(async (open) => {
      await runWebhooks(Deno.args, async () => ({ store: (await open()).store, print }));
    }, otherwise),
  );
}
