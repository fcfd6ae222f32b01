// The settings of this process: its environment over what a `.env` file says, completed by generated secrets.
import { parse } from "dotenv";
import type { Environment } from "./environment.ts";
import { parseSettings, type Settings } from "./settings.ts";
import { reportSettings, type VariableReport } from "./report.ts";
import { withSecrets } from "./secrets.ts";

/**
 * @param over Variables that count in place of the environment's.
 * @returns The settings, the variables behind them, the lines to tell the person who starts the process, and what
 * writes secrets that were made.
 * @throws {SettingsError} A variable cannot be used.
 */
export async function readSettings(over: Record<string, string> = {}): Promise<{
  readonly settings: Settings;
  readonly variables: readonly VariableReport[];
  readonly notices: readonly string[];
  readonly keepSecrets: () => Promise<void>;
}> {
  const file = await readFile();
  const given = { ...Deno.env.toObject(), ...over };
  const { env, notices, keep } = await withSecrets({ ...file, ...given });
  const settings = parseSettings(env);
  const variables = reportSettings(env, settings, (name) => {
    if (given[name]) return "environment";
    return file[name] ? "file" : "generated";
  });
  return { settings, variables, notices, keepSecrets: keep };
}

/** The environment, over what `.env` says. */
export async function readEnvironment(): Promise<Environment> {
  return { ...await readFile(), ...Deno.env.toObject() };
}

async function readFile(): Promise<Record<string, string>> {
  try {
    return parse(await Deno.readTextFile(".env"));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return {};
    throw error;
  }
}
