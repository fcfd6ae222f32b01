// The settings of this process: its environment over what a `.env` file says, completed by generated secrets.
import { parse } from "dotenv";
import { type Environment, SettingsError } from "./environment.ts";
import { parseSettings, type Settings } from "./settings.ts";
import { reportSettings, type VariableReport } from "./report.ts";
import { withSecrets } from "./secrets.ts";

interface Configuration {
  readonly settings: Settings;
  /** What is behind them. */
  readonly variables: readonly VariableReport[];
}

/**
 * @param over Variables that count in place of the environment's.
 * @returns The settings, the lines to tell the person who starts the process, the secrets that were made just now, and
 * what writes them and tells the settings that count then.
 * @throws {SettingsError} A variable cannot be used.
 */
export async function readSettings(over: Record<string, string> = {}): Promise<
  Configuration & {
    readonly notices: readonly string[];
    readonly madeSecrets: readonly string[];
    readonly keepSecrets: () => Promise<Configuration>;
  }
> {
  const file = await readFile();
  const given = { ...Deno.env.toObject(), ...over };
  const { env, notices, made, keep } = await withSecrets({ ...file, ...given });
  const configured = (env: Environment): Configuration => {
    const settings = parseSettings(env);
    const variables = reportSettings(env, settings, (name) => {
      if (given[name]) return "environment";
      return file[name] ? "file" : "generated";
    });
    return { settings, variables };
  };
  return {
    ...configured(env),
    notices,
    madeSecrets: made,
    keepSecrets: async () => configured({ ...env, ...await keep() }),
  };
}

/** The environment, over what `.env` says. @throws {SettingsError} The file cannot be read. */
export async function readEnvironment(): Promise<Environment> {
  return { ...await readFile(), ...Deno.env.toObject() };
}

async function readFile(): Promise<Record<string, string>> {
  try {
    return parse(await Deno.readTextFile(".env"));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return {};
    throw new SettingsError(`Cannot start: Cannot read .env: ${problemOf(error)}`, {
      cause: error,
    });
  }
}

function problemOf(error: unknown): string {
  if (error instanceof Deno.errors.IsADirectory) {
    return "it is a folder. Put a file in its place, or remove it";
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return "permission denied. Let the user that runs the server read it";
  }
  return error instanceof Error ? error.message : String(error);
}
