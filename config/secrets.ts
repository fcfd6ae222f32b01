// Secrets that the environment does not give: outside production they are made once and kept beside the data.
import { dirname, join } from "node:path";
import { z } from "zod";
import { makePrivateFolder, tooOpen } from "../core/private_files.ts";
import {
  chooseVariant,
  dataFolder,
  type Environment,
  isProduction,
  localPath,
  secretVariables,
} from "./environment.ts";

const FILE = "secrets.json";

/** Whether secrets lie beside the file of a store. */
export async function hasSecretsBeside(storeUrl: string): Promise<boolean> {
  const path = localPath(storeUrl);
  if (path === null) return false;
  try {
    await Deno.stat(join(dirname(path), FILE));
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

export interface WithSecrets {
  readonly env: Environment;
  /** Lines to tell the person who starts the server. */
  readonly notices: string[];
  /** Names of the secrets that were made just now. */
  readonly made: readonly string[];
  /** Writes them, and tells those that count: another start may have kept its own meanwhile. */
  readonly keep: () => Promise<Environment>;
}

/**
 * The environment completed by generated secrets. In production nothing is generated: the configuration then names
 * the missing variable.
 *
 * @throws {Error} The file of secrets cannot be used.
 */
export async function withSecrets(env: Environment): Promise<WithSecrets> {
  const variant = chooseVariant(env);
  const missing = secretVariables(variant).filter((name) => !env[name]);
  const notices = secretVariables(variant).filter((name) => (env[name]?.length ?? 32) < 32)
    .map((name) => `Warning: ${name} is shorter than 32 characters; production refuses it`);
  const nothing = { made: [], keep: () => Promise.resolve({}) };
  if (missing.length === 0 || isProduction(env)) return { env, notices, ...nothing };

  const path = join(dataFolder(env), FILE);
  notices.push(...tooOpen([path]));
  const kept = await readSecrets(path);
  const created = Object.fromEntries(
    missing.filter((name) => !kept[name]).map((name) => [name, randomSecret()]),
  );
  const complete = { ...kept, ...created, ...present(env) };
  const made = Object.keys(created);
  if (made.length === 0) return { env: complete, notices, ...nothing };
  notices.push(`Generated ${made.join(" and ")}, kept in ${path}`);
  return { env: complete, notices, made, keep: () => keepSecrets(path, created) };
}

function present(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value));
}

function randomSecret(): string {
  return crypto.getRandomValues(new Uint8Array(32)).toHex();
}

/** What the file must hold: names and their texts. */
const secretsFile = z.record(z.string(), z.string());

async function readSecrets(path: string): Promise<Record<string, string>> {
  try {
    return secretsFile.parse(JSON.parse(await Deno.readTextFile(path)));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return {};
    throw new Error(`Cannot read the generated secrets in ${path}: ${problemOf(error)}`, {
      cause: error,
    });
  }
}

function problemOf(error: unknown): string {
  if (error instanceof z.ZodError || error instanceof SyntaxError) {
    return 'expected a JSON object of texts such as {"JWT_SECRET":"…"}. Restore it, or remove it: ' +
      "new secrets are made then, and everyone signs in again";
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return "permission denied. Let the user that runs the server read and write it";
  }
  return error instanceof Error ? error.message : String(error);
}

/**
 * One start at a time: what an earlier one has kept is not replaced.
 *
 * @returns Of the secrets that were made, those that are kept under their names.
 * @throws {Error} The file of secrets cannot be read or written.
 */
async function keepSecrets(path: string, created: Record<string, string>): Promise<Environment> {
  using _lock = await lockSecrets(path).catch((error) => {
    throw notKept(path, error);
  });
  const kept = await readSecrets(path);
  const all = { ...created, ...kept };
  if (Object.keys(created).some((name) => !kept[name])) await writeSecrets(path, all);
  return Object.fromEntries(Object.keys(created).map((name) => [name, all[name]]));
}

async function lockSecrets(path: string): Promise<Disposable> {
  makePrivateFolder(dirname(path));
  const lock = await Deno.open(`${path}.lock`, { write: true, create: true, mode: 0o600 });
  await lock.lock(true);
  return lock;
}

/** Written whole or not at all, readable by the owner alone. */
async function writeSecrets(path: string, secrets: Record<string, string>): Promise<void> {
  const draft = `${path}.draft`;
  try {
    await Deno.writeTextFile(draft, JSON.stringify(secrets, null, 2), { mode: 0o600 });
    await Deno.rename(draft, path);
  } catch (error) {
    await Deno.remove(draft).catch(() => {});
    throw notKept(path, error);
  }
}

function notKept(path: string, error: unknown): Error {
  const message = `Cannot keep the generated secrets in ${path}: ${problemOf(error)}`;
  return new Error(message, { cause: error });
}
