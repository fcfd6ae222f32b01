// What the environment says by itself, before its variables are read one by one: the variant, production, the store.
import { dirname, join } from "node:path";
import { type Variant, variants } from "./variants.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The settings cannot be used; the message names each variable, its problem and an example. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

/** The variant that the environment names. @throws {SettingsError} */
export function chooseVariant(env: Environment): Variant {
  const name = env.VARIANT || "compact";
  const key = [name.toLowerCase(), name.toUpperCase()].find((key) => Object.hasOwn(variants, key));
  const variant = key === undefined ? undefined : variants[key];
  if (!variant) {
    throw new SettingsError(
      `Cannot start: VARIANT: expected compact, full, web or snippets (or K, R, A), received '${name}'`,
    );
  }
  return variant;
}

/** True in production: there no secret is generated and no link is logged. */
export function isProduction(env: Environment): boolean {
  return env.DENO_ENV?.toLowerCase() === "production" || isOnDeploy(env);
}

export function isOnDeploy(env: Environment): boolean {
  return Boolean(env.DENO_DEPLOYMENT_ID || env.DENO_DEPLOY);
}

/** The secrets that a variant signs with, by variable. */
export function secretVariables(variant: Variant): string[] {
  return [variant.secret, ...(variant.refreshSecret ? [variant.refreshSecret] : [])];
}

/** The file of a store on this machine; null for a store elsewhere, or in memory. */
export function localPath(storeUrl: string): string | null {
  return /^(?:kv|sqlite):(?!https?:|:memory:)(.+)$/.exec(storeUrl)?.[1] ?? null;
}

/** Where the data is: DATABASE_URL, else DENO_KV_PATH, else what the variant stores in. */
export function storeUrl(env: Environment): string {
  if (env.DATABASE_URL) return env.DATABASE_URL;
  if (env.DENO_KV_PATH) return `kv:${env.DENO_KV_PATH}`;
  return isOnDeploy(env) ? "kv:" : chooseVariant(env).store;
}

/** The folder of the data file; `data` where the data is no local file. */
export function dataFolder(env: Environment): string {
  const path = localPath(storeUrl(env));
  return path === null ? "data" : dirname(path);
}

/** Where backups go: BACKUP_DIR, else a folder beside the data. */
export function backupFolder(env: Environment): string {
  return env.BACKUP_DIR || join(dataFolder(env), "backups");
}
