// Webhooks from the command line: `deno task webhooks`. A store that the server locks can be used once it is stopped.
import { parseArgs } from "node:util";
import { answerHelp, print, printError } from "../core/command_line.ts";
import { moment } from "../models/requests.ts";
import { hostOf, type Webhook, webhookDeliveries, webhooks } from "../models/webhooks.ts";
import { StoreLocked } from "../storage/lock.ts";
import { openStore } from "../storage/open.ts";
import { singleLine } from "../services/messaging/mailer.ts";
import { planReplay, planReplayOf } from "../services/webhooks/replay.ts";
import { deliveryView } from "../services/webhooks/views.ts";
import { readSettings } from "../config/read.ts";
import type { Store } from "../storage/port.ts";
import { requireSource } from "./sources.ts";

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

/** The command cannot be understood, or cannot be done; the message is for the person who typed it. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

interface Options {
  readonly webhook?: string;
  readonly delivery?: string;
  readonly status?: string;
  readonly from?: string;
  readonly to?: string;
}

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
  const { command, options } = parse(args);
  await command(await open(), options);
}

function parse(args: readonly string[]) {
  const text = { type: "string" } as const;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { webhook: text, delivery: text, status: text, from: text, to: text },
      allowPositionals: true,
    });
    const [name = "", ...rest] = positionals;
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (!command || rest.length > 0) throw new CommandError(USAGE);
    return { command, options: values };
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  }
}

async function list({ store, print }: Context): Promise<void> {
  const rows = [["ID", "HOST", "STATE", "EVENTS"]];
  for await (const hook of store.from(webhooks).scan()) {
    rows.push([hook.id, hostOf(hook.url), stateOf(hook), hook.events.join(",")]);
  }
  table(rows, print);
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
  table(shown, print);
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

function table(rows: readonly string[][], print: (line: string) => void): void {
  const lines = rows.map((row) => row.map(singleLine));
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((row) => row[column]!.length)));
  for (const row of lines) {
    print(row.map((cell, column) => cell.padEnd(widths[column]!)).join("  ").trimEnd());
  }
}

async function main(): Promise<number> {
  let store: Store | undefined;
  try {
    await runWebhooks(Deno.args, async () => {
      const { settings: { storeUrl: url, cacheMaxBytes, database } } = await readSettings();
      await requireSource(url);
      store = await openStore({ url, cacheMaxBytes, database });
      return { store, print };
    });
    return 0;
  } catch (error) {
    printError(explain(error));
    return error instanceof CommandError ? 2 : 1;
  } finally {
    await store?.close();
  }
}

function explain(error: unknown): string {
  if (error instanceof StoreLocked) {
    return `${error.message}.\nIs the server running? Stop it first, or ask it: POST /api/webhooks/ID/replay`;
  }
  return error instanceof Error ? error.message : String(error);
}

if (import.meta.main) {
  answerHelp(USAGE);
  Deno.exit(await main());
}
