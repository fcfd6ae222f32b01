// The environment, validated: every setting with its unit, default and meaning. Pure: nothing is read or written here.
import { environmentSchema, type LogLevel } from "./environment.ts";
import { type Variant, variants } from "./variants.ts";

export interface Config {
  readonly variant: Variant;
  readonly production: boolean;
  readonly port: number;
  /** Address to listen on. @default "0.0.0.0" */
  readonly hostname: string;
  /** Base path of the API, with a leading and no trailing slash; empty at the root. @default "/api" */
  readonly basePath: string;
  /** Where people reach the server, for links in mails. No trailing slash. */
  readonly publicUrl: string;
  /** `kv:path`, `kv:http://…`, `sqlite:path` or `postgres://…`; `kv:` alone is Deno Deploy's bound database. */
  readonly storeUrl: string;
  readonly database: {
    /** Connections. @default 10 */
    readonly poolSize: number;
    /** Milliseconds. @default 30000 */
    readonly statementTimeout: number;
    /** Milliseconds. @default 5000 */
    readonly connectionTimeout: number;
  };
  readonly secrets: { readonly access: string; readonly refresh: string };
  /** Seconds. */
  readonly lifetimes: { readonly access: number; readonly refresh: number };
  readonly admin: { readonly email: string; readonly password: string | undefined };
  readonly mock: boolean;
  readonly registration: boolean;
  /** Allowed origins; null allows any, without credentials. */
  readonly corsOrigins: readonly string[] | null;
  readonly logLevel: LogLevel;
  readonly smtpUrl: string | undefined;
  readonly mailFrom: string;
  /** Addresses and CIDR blocks whose X-Forwarded-For counts. */
  readonly trustedProxies: readonly string[];
  readonly rateLimits: boolean;
  readonly uploads: {
    /** Bytes. @default 10 MiB */
    readonly maxBytes: number;
    /** Null accepts all. */
    readonly types: readonly string[] | null;
    /** Bytes a user may store. @default 1 GiB */
    readonly quota: number;
  };
  readonly metricsToken: string | undefined;
  /** Bytes. @default 64 MiB */
  readonly cacheMaxBytes: number;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The settings cannot be used; the message names each variable, its problem and an example. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

const MIB = 1024 * 1024;
/** RFC 7518 section 3.2: a key for HS256 has at least 256 bits. */
const MIN_SECRET_LENGTH = 32;

/** The secrets that a variant signs with, by variable. */
export function secretVariables(variant: Variant): string[] {
  return [variant.secret, ...(variant.refreshSecret ? [variant.refreshSecret] : [])];
}

/** The names of a setting, the first one first where several are set. Other settings have one name: their own. */
function aliases(variant: Variant): Readonly<Record<string, readonly string[]>> {
  return {
    API_URL: ["API_URL", "VITE_API_URL"],
    USE_MOCK: ["USE_MOCK", "VITE_USE_MOCK"],
    accessLifetime: [variant.accessLifetime.variable],
    refreshLifetime: [variant.refreshLifetime.variable],
  };
}

/** Every variable that a variant reads. */
export function variableNames(variant: Variant): string[] {
  const settings = Object.keys(environmentSchema(variant).shape);
  const names = settings.flatMap((setting) => aliases(variant)[setting] ?? [setting]);
  return [...names, ...secretVariables(variant)];
}

/** The variables that are set, as the schema names them. An empty one counts as absent. */
function present(env: Environment, variant: Variant): Environment {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const renamed = Object.entries(aliases(variant)).map(([setting, names]) => [
    setting,
    names.map((name) => set[name]).find((value) => value !== undefined),
  ]);
  return { ...set, ...Object.fromEntries(renamed) };
}

/** The variant that the environment names. @throws {ConfigError} */
export function chooseVariant(env: Environment): Variant {
  const name = env.VARIANT || "compact";
  const key = [name.toLowerCase(), name.toUpperCase()].find((key) => Object.hasOwn(variants, key));
  const variant = key === undefined ? undefined : variants[key];
  if (!variant) {
    throw new ConfigError(
      `Cannot start: VARIANT: expected compact, full, web or snippets (or K, R, A), received '${name}'`,
    );
  }
  return variant;
}

/** True in production: there no secret is generated and no link is logged. */
export function isProduction(env: Environment): boolean {
  return env.DENO_ENV?.toLowerCase() === "production" ||
    Boolean(env.DENO_DEPLOYMENT_ID || env.DENO_DEPLOY);
}

/**
 * Reads the configuration. Secrets must be present: see secrets.ts for how they are made outside production.
 *
 * @throws {ConfigError} With one line per variable that cannot be used.
 */
export function loadConfig(env: Environment): Config {
  const variant = chooseVariant(env);
  const values = present(env, variant);
  const result = environmentSchema(variant).safeParse(values);
  const problems = result.success
    ? []
    : result.error.issues.map((issue) =>
      `${variableName(env, variant, issue.path)}: ${issue.message}`
    );
  problems.push(...secretProblems(variant, values), ...linkProblems(values));
  if (variant.cookies && result.success && result.data.API_URL === "") {
    problems.push("API_URL: the pages are at the root, expected a path such as /api");
  }
  if (!result.success || problems.length > 0) {
    throw new ConfigError(`Cannot start: ${problems.join("\n")}`);
  }

  const settings = result.data;
  const access = values[variant.secret] ?? "";
  const uploadTypes = settings.UPLOAD_TYPES.length > 0
    ? settings.UPLOAD_TYPES
    : variant.uploadTypes;
  return {
    variant,
    production: isProduction(env),
    port: settings.PORT,
    hostname: settings.HOST,
    basePath: settings.API_URL,
    publicUrl: (settings.PUBLIC_URL ?? `http://localhost:${settings.PORT}`).replace(/\/+$/, ""),
    storeUrl: storeUrl(env),
    database: {
      poolSize: settings.DATABASE_POOL_SIZE,
      statementTimeout: settings.DATABASE_STATEMENT_TIMEOUT * 1000,
      connectionTimeout: settings.DATABASE_CONNECTION_TIMEOUT * 1000,
    },
    secrets: {
      access,
      refresh: variant.refreshSecret ? values[variant.refreshSecret] ?? "" : access,
    },
    lifetimes: {
      access: settings.accessLifetime,
      refresh: settings.refreshLifetime,
    },
    admin: { email: settings.ADMIN_EMAIL.toLowerCase(), password: settings.ADMIN_PASSWORD },
    mock: settings.USE_MOCK,
    registration: settings.REGISTRATION,
    corsOrigins: settings.CORS_ORIGIN.length === 0 || settings.CORS_ORIGIN.includes("*")
      ? null
      : settings.CORS_ORIGIN,
    logLevel: settings.LOG_LEVEL,
    smtpUrl: settings.SMTP_URL,
    mailFrom: settings.MAIL_FROM,
    trustedProxies: settings.TRUSTED_PROXIES,
    rateLimits: settings.RATE_LIMIT,
    uploads: {
      maxBytes: settings.UPLOAD_MAX_BYTES,
      types: uploadTypes?.includes("*") ? null : uploadTypes,
      quota: settings.STORAGE_QUOTA,
    },
    metricsToken: settings.METRICS_TOKEN,
    cacheMaxBytes: settings.CACHE_MAX_MB * MIB,
  };
}

/** The variable behind a setting: of several names, the one that is set. */
function variableName(env: Environment, variant: Variant, path: readonly PropertyKey[]): string {
  const setting = String(path[0]);
  const names = aliases(variant)[setting] ?? [setting];
  return names.find((name) => env[name]) ?? names[0] ?? setting;
}

/** Links in mails must not lead to the reader's own machine. */
function linkProblems(env: Environment): string[] {
  if (!isProduction(env) || env.SMTP_URL === undefined || env.PUBLIC_URL !== undefined) return [];
  return [
    "PUBLIC_URL: it is required with SMTP_URL in production. Example: PUBLIC_URL=https://admin.example.com",
  ];
}

function secretProblems(variant: Variant, env: Environment): string[] {
  const strict = variant.strictSecrets || isProduction(env);
  const names = secretVariables(variant);
  const problems = names.flatMap((name) => {
    const secret = env[name];
    if (secret === undefined) {
      return [`${name}: it is required. Example: ${name}=$(openssl rand -hex 32)`];
    }
    if (strict && secret.length < MIN_SECRET_LENGTH) {
      return [
        `${name}: expected at least ${MIN_SECRET_LENGTH} characters, received ${secret.length}. Example: ${name}=$(openssl rand -hex 32)`,
      ];
    }
    return [];
  });
  const [access, refresh] = names.map((name) => env[name]);
  if (strict && access !== undefined && access === refresh) {
    problems.push(
      `${names[1]}: it must differ from ${names[0]}. Example: ${names[1]}=$(openssl rand -hex 32)`,
    );
  }
  return problems;
}

/** Where the data is: DATABASE_URL, else DENO_KV_PATH, else what the variant stores in. */
export function storeUrl(env: Environment): string {
  if (env.DATABASE_URL) return env.DATABASE_URL;
  if (env.DENO_KV_PATH) return `kv:${env.DENO_KV_PATH}`;
  return env.DENO_DEPLOYMENT_ID || env.DENO_DEPLOY ? "kv:" : chooseVariant(env).store;
}
