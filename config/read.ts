// The settings of this process: its environment over what a `.env` file says, completed by generated secrets.
import { parse } from "dotenv";
import type { Environment } from "./environment.ts";
import { parseSettings, type Settings } from "./settings.ts";
import { withSecrets } from "./secrets.ts";

/**
 * @returns The settings, the lines to tell the person who starts the process, and what writes secrets that were made.
 * @throws {SettingsError} A variable cannot be used.
 */
export async function readSettings(): Promise<{
  readonly settings: Settings;
  readonly notices: readonly string[];
  readonly keepSecrets: () => Promise<void>;
}> {
  const { env, notices, keep } = await withSecrets(await readEnvironment());
  return { settings: parseSettings(env), notices, keepSecrets: keep };
}

/** The environment, over what `.env` says. */
export async function readEnvironment(): Promise<Environment> {
  try {
    return { ...parse(await Deno.readTextFile(".env")), ...Deno.env.toObject() };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return Deno.env.toObject();
    throw error;
  }
}
