// What commands with subcommands have in common: how the one that is asked for is found, and its store opened.
import { parseArgs } from "node:util";
import { printError } from "../core/command_line.ts";
import type { Settings } from "../config/settings.ts";
import { readSettings } from "../config/read.ts";
import { StoreLocked } from "../storage/lock.ts";
import { openStore } from "../storage/open.ts";
import type { Store } from "../storage/port.ts";
import { requireSource } from "./sources.ts";

/** The command cannot be understood, or cannot be done; the message is for the person who typed it. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/**
 * The subcommand that arguments name, and its options.
 *
 * @param names Of the options that there are; each has a text.
 * @throws {CommandError}
 */
export function subcommandIn<C, N extends string>(
  args: readonly string[],
  { commands, names, usage }: {
    readonly commands: Readonly<Record<string, C>>;
    readonly names: readonly N[];
    readonly usage: string;
  },
): { command: C; options: { readonly [K in N]?: string } } {
  const { values, positionals } = parsed(args, names, usage);
  const [name = "", ...rest] = positionals;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command || rest.length > 0) throw new CommandError(usage);
  return { command, options: values as { readonly [K in N]?: string } };
}

function parsed(args: readonly string[], names: readonly string[], usage: string) {
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" } as const]));
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new CommandError(`${reasonOf(error)}\n\n${usage}`);
  }
}

/** Opens the store that the settings name. @param mayMake Whether one that is not there is made. */
type Open = (mayMake?: boolean) => Promise<{ readonly store: Store; readonly settings: Settings }>;

/**
 * Runs a command on the store of the settings, and closes it.
 *
 * @param otherwise What helps where a server has the store to itself.
 * @returns The exit code: 2 where the command is at fault.
 */
export async function runOnStore(
  run: (open: Open) => Promise<void>,
  otherwise: string,
): Promise<number> {
  let store: Store | undefined;
  try {
    await run(async (mayMake = false) => {
      const { settings } = await readSettings();
      const { storeUrl: url, cacheMaxBytes, database } = settings;
      if (!mayMake) await requireSource(url);
      store = await openStore({ url, cacheMaxBytes, database });
      return { store, settings };
    });
    return 0;
  } catch (error) {
    const locked = error instanceof StoreLocked;
    printError(locked ? `${error.message}.\nIs the server running? ${otherwise}` : reasonOf(error));
    return error instanceof CommandError ? 2 : 1;
  } finally {
    await store?.close();
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
