// The environment, validated: every setting with its unit, default and meaning. Pure: nothing is read or written here.
import { environmentSchema, type LogLevel } from "./variables.ts";
import { type Module, type Variant, variants } from "./variants.ts";
import { MIB } from "../core/units.ts";

export interface Settings {
  readonly variant: Variant;
  readonly production: boolean;
  readonly port: number;
  /** Address to listen on. @default "0.0.0.0" */
  readonly hostname: string;
  /** Base path of the API, with a leading and no trailing slash; empty at the root. @default "/api" */
  readonly basePath: string;
  /** Where people reach the server. No trailing slash. */
  readonly publicUrl: string;
  /** Where links in mails lead. No trailing slash. @default this server, which has small pages for them */
  readonly frontendUrl: string;
  /** `kv:path`, `kv:http://…`, `sqlite:path` or `postgres://…`; `kv:` alone is Deno Deploy's bound database. */
  readonly storeUrl: string;
  readonly database: {
    /** Connections. @default 10 */
    readonly poolSize: number;
    /** Milliseconds. @default 5000 */
    readonly statementTimeout: number;
    /** Milliseconds. @default 5000 */
    readonly connectionTimeout: number;
  };
  readonly secrets: { readonly access: string; readonly refresh: string };
  /** Of tokens, in seconds. */
  readonly lifetimes: { readonly access: number; readonly refresh: number };
  readonly admin: {
    readonly email: string;
    readonly password: string | undefined;
    /** Whether a password that is easy to guess is refused, as in production. @default false */
    readonly strict?: boolean;
  };
  readonly mock: boolean;
  readonly registration: boolean;
  /** Whether an account that registered itself has to prove its address. @default true */
  readonly emailVerification: boolean;
  /** Names of roles whose users may do nothing without a second factor but set one up. @default none */
  readonly mfaRequiredRoles: readonly string[];
  /** Whether changing roles and permissions takes a recent proof too. @default false */
  readonly stepUpRoles: boolean;
  /** Days without use after which an account that never proved its address is removed; 0 keeps it. @default 30 */
  readonly unverifiedDays: number;
  /** Days that entries of the audit log are kept; 0 keeps all. @default 365 */
  readonly auditDays: number;
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
    /** Bytes a user may store in files and documents. @default 1 GiB */
    readonly quota: number;
  };
  /** Records a user may have, and changes a user may make in a day. @default 100000 */
  readonly recordsQuota: number;
  readonly snippets: {
    /** Days after which snippets without an owner are removed; 0 keeps them. @default 30 */
    readonly days: number;
    /** Bytes that the snippets of one owner may take together. @default 10 MiB */
    readonly quota: number;
    /** An origin of their own for the pages of snippets; it must lead to this server too. */
    readonly origin: string | undefined;
  };
  readonly metricsToken: string | undefined;
  /** Bytes of memory for records. @default 64 MiB */
  readonly cacheMaxBytes: number;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The settings cannot be used; the message names each variable, its problem and an example. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

/** RFC 7518 section 3.2: a key for HS256 has at least 256 bits. */
const MIN_SECRET_LENGTH = 32;

/** The secrets that a variant signs with, by variable. */
export function secretVariables(variant: Variant): string[] {
  return [variant.secret, ...(variant.refreshSecret ? [variant.refreshSecret] : [])];
}

/** The variables that give a setting; of several that are set the first counts. Others have one, of their own name. */
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
  return env.DENO_ENV?.toLowerCase() === "production" ||
    Boolean(env.DENO_DEPLOYMENT_ID || env.DENO_DEPLOY);
}

/**
 * Reads the configuration. Secrets must be present: see secrets.ts for how they are made outside production.
 *
 * @throws {SettingsError} With one line per variable that cannot be used.
 */
export function parseSettings(env: Environment): Settings {
  const variant = chooseVariant(env);
  const named = present(env, variant);
  const result = environmentSchema(variant).safeParse(named);
  const problems = result.success
    ? []
    : result.error.issues.map((issue) =>
      `${variableName(env, variant, issue.path)}: ${issue.message}`
    );
  problems.push(...secretProblems(variant, named), ...linkProblems(named));
  problems.push(...snippetOriginProblems(named));
  if (variant.cookies && result.success && result.data.API_URL === "") {
    problems.push("API_URL: the pages are at the root, expected a path such as /api");
  }
  if (!result.success || problems.length > 0) {
    throw new SettingsError(`Cannot start: ${problems.join("\n")}`);
  }

  const values = result.data;
  const access = named[variant.secret] ?? "";
  const publicUrl = (values.PUBLIC_URL ?? `http://localhost:${values.PORT}`).replace(/\/+$/, "");
  const uploadTypes = values.UPLOAD_TYPES.length > 0 ? values.UPLOAD_TYPES : variant.uploadTypes;
  return {
    variant: values.SNIPPETS ? variant : withoutModule(variant, "snippets"),
    production: isProduction(env),
    port: values.PORT,
    hostname: values.HOST,
    basePath: values.API_URL,
    publicUrl,
    frontendUrl: values.FRONTEND_URL?.replace(/\/+$/, "") ?? publicUrl,
    storeUrl: storeUrl(env),
    database: {
      poolSize: values.DATABASE_POOL_SIZE,
      statementTimeout: values.DATABASE_STATEMENT_TIMEOUT * 1000,
      connectionTimeout: values.DATABASE_CONNECTION_TIMEOUT * 1000,
    },
    secrets: {
      access,
      refresh: variant.refreshSecret ? named[variant.refreshSecret] ?? "" : access,
    },
    lifetimes: {
      access: values.accessLifetime,
      refresh: values.refreshLifetime,
    },
    admin: {
      email: values.ADMIN_EMAIL.toLowerCase(),
      password: values.ADMIN_PASSWORD,
      strict: isProduction(env),
    },
    mock: values.USE_MOCK,
    registration: values.REGISTRATION,
    emailVerification: values.EMAIL_VERIFICATION,
    mfaRequiredRoles: values.MFA_REQUIRED_ROLES,
    stepUpRoles: values.STEP_UP_ROLES,
    unverifiedDays: values.UNVERIFIED_DAYS,
    auditDays: values.AUDIT_DAYS,
    corsOrigins: values.CORS_ORIGIN.length === 0 || values.CORS_ORIGIN.includes("*")
      ? null
      : values.CORS_ORIGIN,
    logLevel: values.LOG_LEVEL,
    smtpUrl: values.SMTP_URL,
    mailFrom: values.MAIL_FROM,
    trustedProxies: values.TRUSTED_PROXIES,
    rateLimits: values.RATE_LIMIT,
    uploads: {
      maxBytes: values.UPLOAD_MAX_BYTES,
      types: uploadTypes?.includes("*") ? null : uploadTypes,
      quota: values.STORAGE_QUOTA,
    },
    recordsQuota: values.RECORDS_QUOTA,
    snippets: {
      days: values.SNIPPET_DAYS,
      quota: values.SNIPPET_QUOTA,
      origin: values.SNIPPET_ORIGIN,
    },
    metricsToken: values.METRICS_TOKEN,
    cacheMaxBytes: values.CACHE_MAX_MB * MIB,
  };
}

/** The variable behind a setting: of several names, the one that is set. */
function variableName(env: Environment, variant: Variant, path: readonly PropertyKey[]): string {
  const setting = String(path[0]);
  const names = aliases(variant)[setting] ?? [setting];
  return names.find((name) => env[name]) ?? names[0] ?? setting;
}

function withoutModule(variant: Variant, module: Module): Variant {
  return { ...variant, modules: variant.modules.filter((mounted) => mounted !== module) };
}

/** What strangers share must not be served from where people sign in. */
function snippetOriginProblems(env: Environment): string[] {
  const origin = URL.parse(env.SNIPPET_ORIGIN ?? "")?.origin;
  if (origin === undefined || origin !== URL.parse(env.PUBLIC_URL ?? "")?.origin) return [];
  return [
    "SNIPPET_ORIGIN: expected another origin than PUBLIC_URL. Example: SNIPPET_ORIGIN=https://snippets.example.com",
  ];
}

/** Links in mails must not lead to the reader's own machine. */
function linkProblems(env: Environment): string[] {
  if (!isProduction(env) || env.SMTP_URL === undefined) return [];
  if (env.PUBLIC_URL !== undefined || env.FRONTEND_URL !== undefined) return [];
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
