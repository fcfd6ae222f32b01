// What is in force of the configuration, for people: each variable's value, where it is from, and what it means.
import { z } from "zod";
import { type Environment, secretVariables } from "./environment.ts";
import { aliases, type Settings } from "./settings.ts";
import { environmentSchema, SECRETS } from "./variables.ts";

/** Where the value of a variable is from; `generated`: the server made a secret and keeps it beside the data. */
export type Origin = "environment" | "file" | "generated";

export interface VariableReport {
  readonly name: string;
  /** Other names that it may be given by. */
  readonly aliases: readonly string[];
  /** As it counts, in the words of the environment; credentials in URLs are left out. Null: none, or a secret. */
  readonly value: string | null;
  readonly set: boolean;
  readonly source: Origin | "default";
  /** Null where there is none, or where it follows from other settings. */
  readonly default: string | null;
  readonly meaning: string;
  /** The value is never told. */
  readonly secret: boolean;
}

/**
 * @param env Complete, with secrets that were generated.
 * @param originOf Asked for variables that are set alone.
 */
export function reportSettings(
  env: Environment,
  settings: Settings,
  originOf: (name: string) => Origin,
): readonly VariableReport[] {
  const { variant } = settings;
  const others = aliases(variant);
  const secrets = secretVariables(variant).map((name) => ({
    name,
    aliases: [],
    value: null,
    set: Boolean(env[name]),
    source: env[name] ? originOf(name) : "default" as const,
    default: null,
    meaning: SECRETS[name] ?? "",
    secret: true,
  }));
  const variables = Object.entries(environmentSchema(variant).shape).map(([setting, schema]) => {
    const names = others[setting] ?? [setting];
    const name = names.find((one) => env[one]) ?? names[0]!;
    const { description = "", secret } = z.globalRegistry.get(schema) ?? {};
    const given = env[name] || null;
    const fallback = defaultOf(schema);
    const value = IN_FORCE[setting]?.(settings) ?? given ?? fallback;
    return {
      name,
      aliases: names.filter((one) => one !== name),
      value: secret === true || value === null ? null : withoutCredentials(value),
      set: given !== null,
      source: given === null ? "default" as const : originOf(name),
      default: fallback,
      meaning: description,
      secret: secret === true,
    };
  });
  return [...variables, ...secrets];
}

/** Of variables whose value follows from others where they are not set. */
const IN_FORCE: Readonly<Record<string, (settings: Settings) => string | null>> = {
  VARIANT: ({ variant }) => variant.name,
  DENO_ENV: ({ production }) => production ? "production" : null,
  PUBLIC_URL: ({ publicUrl }) => publicUrl,
  FRONTEND_URL: ({ frontendUrl }) => frontendUrl,
  PASSKEY_DOMAIN: ({ passkeyDomain }) => passkeyDomain,
  DATABASE_URL: ({ storeUrl }) => storeUrl,
  DENO_KV_PATH: ({ storeUrl }) => /^kv:(.+)$/.exec(storeUrl)?.[1] ?? null,
  BACKUP_DIR: ({ backups }) => backups.folder,
  CORS_ORIGIN: ({ corsOrigins }) => corsOrigins?.join(",") ?? "*",
  UPLOAD_TYPES: ({ uploads }) => uploads.types?.join(",") ?? "*",
  OIDC_PROVIDERS: ({ providers }) =>
    JSON.stringify(providers.map(({ clientSecret: _, ...shown }) => shown)),
};

/** The default of a variable as the environment would have it; null where there is none. */
function defaultOf(schema: z.core.$ZodType): string | null {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "pipe") return defaultOf(def.in);
  return def.type === "default" && def.defaultValue !== "" ? String(def.defaultValue) : null;
}

/** What in the query of a URL may be as good as a password. */
const TELLING = /pass|secret|token|key|credential|sig/i;

/** A value as it may be shown: of a URL neither user nor password, in its query neither. */
function withoutCredentials(value: string): string {
  const [, scheme = "", rest = ""] = /^(kv:)?(.*)$/s.exec(value)!;
  const url = /^[a-z][\w+.-]*:\/\//i.test(rest) ? URL.parse(rest) : null;
  if (url === null) return value.replace(/\/\/[^/]*@/, "//…@");
  const queried = [...url.searchParams.keys()].some((name) => TELLING.test(name));
  if (url.username === "" && url.password === "" && !queried && url.hash === "") return value;
  const user = url.username || url.password ? "…@" : "";
  const query = [...url.searchParams].map(([name, text]) =>
    `${name}=${TELLING.test(name) ? "…" : text}`
  ).join("&");
  return `${scheme}${url.protocol}//${user}${url.host}${url.pathname}${query && `?${query}`}`;
}
