// The settings of this process: its environment over what a `.env` file says, completed by generated secrets.
import { parseEnv } from "node:util";
import { type Config, type Environment, loadConfig } from "./config.ts";
import { withSecrets } from "./secrets.ts";

/**
 * @returns The settings, and the lines to tell the person who starts the process.
 * @throws {ConfigError} A variable cannot be used.
 */
export async function readSettings(): Promise<{ config: Config; notices: readonly string[] }> {
  const { env, notices } = await withSecrets(await readEnvironment());
  return { config: loadConfig(env), notices };
}

async function readEnvironment(): Promise<Environment> {
  try {
    return { ...parseEnv(await Deno.readTextFile(".env")), ...Deno.env.toObject() };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return Deno.env.toObject();
    throw error;
  }
}
