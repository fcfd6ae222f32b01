// Secrets that the environment does not give: outside production they are made once and kept beside the data.
import { dirname, join } from "node:path";
import {
  chooseVariant,
  type Environment,
  isProduction,
  secretVariables,
  storeUrl,
} from "./config.ts";

/**
 * The environment completed by generated secrets. In production nothing is generated: the configuration then names
 * the missing variable.
 *
 * @returns The environment, and the lines to tell the person who starts the server.
 */
export async function withSecrets(
  env: Environment,
): Promise<{ env: Environment; notices: string[] }> {
  const variant = chooseVariant(env);
  const missing = secretVariables(variant).filter((name) => !env[name]);
  const notices = secretVariables(variant).filter((name) => (env[name]?.length ?? 32) < 32)
    .map((name) => `Warning: ${name} is shorter than 32 characters; production refuses it`);
  if (missing.length === 0 || isProduction(env)) return { env, notices };

  const path = join(dataFolder(env), "secrets.json");
  const kept = await readSecrets(path);
  const created = Object.fromEntries(
    missing.filter((name) => !kept[name]).map((name) => [name, randomSecret()]),
  );
  if (Object.keys(created).length > 0) {
    await writeSecrets(path, { ...kept, ...created });
    notices.push(`Generated ${Object.keys(created).join(" and ")}, kept in ${path}`);
  }
  return { env: { ...kept, ...created, ...present(env) }, notices };
}

/** The folder of the data file; `data` where the data is no local file. */
function dataFolder(env: Environment): string {
  const local = /^(?:kv|sqlite):(?!https?:|:memory:)(.+)$/.exec(storeUrl(env));
  return local ? dirname(local[1]!) : "data";
}

function present(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value));
}

function randomSecret(): string {
  return crypto.getRandomValues(new Uint8Array(32)).toHex();
}

async function readSecrets(path: string): Promise<Record<string, string>> {
  try {
    return JSON.parse(await Deno.readTextFile(path));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return {};
    throw new Error(`Cannot read the generated secrets in ${path}`, { cause: error });
  }
}

/** Written whole or not at all, readable by the owner alone. */
async function writeSecrets(path: string, secrets: Record<string, string>): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${crypto.randomUUID()}`;
  await Deno.writeTextFile(draft, JSON.stringify(secrets, null, 2), { mode: 0o600 });
  await Deno.rename(draft, path);
}
