// The environment, validated: every setting with its unit, default and meaning. Pure: nothing is read or written here.
import type { z } from "zod";
import { bucketOf, type BucketSettings } from "./bucket.ts";
import {
  backupFolder,
  chooseVariant,
  type Environment,
  isProduction,
  secretVariables,
  SettingsError,
  storeUrl,
} from "./environment.ts";
import { problemsTogether } from "./problems.ts";
import type { ProviderSettings } from "./providers.ts";
import { environmentSchema, type LogLevel } from "./variables.ts";
import type { Module, Variant } from "./variants.ts";
import { isLoopback } from "../core/addresses.ts";
import { MIB, SECOND } from "../core/units.ts";

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
  /** Whether the first administrator is named by who is at the machine, by POST /setup. */
  readonly setup: boolean;
  readonly mock: boolean;
  readonly registration: boolean;
  /** Whether an account that registered itself has to prove its address. @default true */
  readonly emailVerification: boolean;
  /** Names of roles whose users may do nothing without a second factor but set one up. @default none */
  readonly mfaRequiredRoles: readonly string[];
  /** The domain that passkeys are for: every page on it or below it may ask for them. @default that of PUBLIC_URL */
  readonly passkeyDomain: string;
  /** Whether changing roles and permissions takes a recent proof too. @default false */
  readonly stepUpRoles: boolean;
  /** Whom people may sign in by (OpenID Connect). @default none */
  readonly providers: readonly ProviderSettings[];
  /** Days without use after which an account that never proved its address is removed; 0 keeps it. @default 30 */
  readonly unverifiedDays: number;
  /** Days that entries of the audit log are kept; 0 keeps all. @default 365 */
  readonly auditDays: number;
  /** What the audit log's chain is signed with, then what it was signed with before. @default the secret of tokens */
  readonly auditKeys: readonly string[];
  /** Days that what is deleted can be restored; 0: it is gone at once. @default 30 */
  readonly trashDays: number;
  /** Revisions kept of each document; 0: none. @default 50 */
  readonly revisionsKept: number;
  readonly backups: {
    /** Milliseconds between two; 0: none is made by itself. @default 0 */
    readonly every: number;
    /** How many are kept. @default 7 */
    readonly keep: number;
    /** @default `backups` beside the data */
    readonly folder: string;
    /** Where they go besides. @default null: nowhere */
    readonly bucket: BucketSettings | null;
  };
  readonly webhooks: {
    /** Days that deliveries are kept; 0 keeps all. @default 30 */
    readonly days: number;
    /** Whether they may be sent into private networks, and without TLS. @default false */
    readonly allowPrivate: boolean;
  };
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
  /**
   * Whether the console is served: where there are users, and the API has a path of its own.
   *
   * @default true
   */
  readonly console: boolean;
  /** Whether programs may call the routes as tools, at /mcp. @default false */
  readonly mcp: boolean;
  /** Streams of events that may be open at a time: at this process, and of one user there. */
  readonly events: { readonly streams: number; readonly streamsPerUser: number };
  /** Bytes of memory for records. @default 96 MiB */
  readonly cacheMaxBytes: number;
}

/** The variables that give a setting; of several that are set the first counts. Others have one, of their own name. */
export function aliases(variant: Variant): Readonly<Record<string, readonly string[]>> {
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

/**
 * Reads the configuration. Secrets must be present: see secrets.ts for how they are made outside production.
 *
 * @throws {SettingsError} With one line per variable that cannot be used.
 */
export function parseSettings(env: Environment): Settings {
  const variant = chooseVariant(env);
  const named = present(env, variant);
  const result = environmentSchema(variant).safeParse(named);
  const problems = (result.error?.issues ?? []).map(({ path, message }) =>
    `${variableName(env, variant, path)}: ${message}`
  );
  problems.push(...problemsTogether(named, variant, result.data?.API_URL));
  if (!result.success || problems.length > 0) {
    throw new SettingsError(`Cannot start: ${problems.join("\n")}`);
  }
  const values = result.data;
  return {
    variant: values.SNIPPETS ? variant : withoutModule(variant, "snippets"),
    production: isProduction(env),
    logLevel: values.LOG_LEVEL,
    setup: isSetUpHere(named, values),
    mock: values.USE_MOCK,
    ...placesOf(values),
    ...storageOf(env, values),
    ...accountsOf(named, values, variant),
    ...guardsOf(values, variant),
    ...limitsOf(values, variant),
    smtpUrl: values.SMTP_URL,
    mailFrom: values.MAIL_FROM,
  };
}

/** The variables as the schema reads them. */
type Values = z.output<ReturnType<typeof environmentSchema>>;

function placesOf(values: Values) {
  const publicUrl = (values.PUBLIC_URL ?? `http://localhost:${values.PORT}`).replace(/\/+$/, "");
  return {
    port: values.PORT,
    hostname: values.HOST,
    basePath: values.API_URL,
    publicUrl,
    frontendUrl: values.FRONTEND_URL?.replace(/\/+$/, "") ?? publicUrl,
    passkeyDomain: values.PASSKEY_DOMAIN ?? new URL(publicUrl).hostname,
  };
}

function storageOf(env: Environment, values: Values) {
  return {
    storeUrl: storeUrl(env),
    database: {
      poolSize: values.DATABASE_POOL_SIZE,
      statementTimeout: values.DATABASE_STATEMENT_TIMEOUT * SECOND,
      connectionTimeout: values.DATABASE_CONNECTION_TIMEOUT * SECOND,
    },
    cacheMaxBytes: values.CACHE_MAX_MB * MIB,
    unverifiedDays: values.UNVERIFIED_DAYS,
    auditDays: values.AUDIT_DAYS,
    trashDays: values.TRASH_DAYS,
    revisionsKept: values.REVISIONS_KEPT,
    backups: {
      every: values.BACKUP_EVERY * SECOND,
      keep: values.BACKUP_KEEP,
      folder: backupFolder(env),
      bucket: bucketOf(env),
    },
  };
}

function accountsOf(named: Environment, values: Values, { secret, refreshSecret }: Variant) {
  const access = named[secret] ?? "";
  return {
    auditKeys: values.AUDIT_KEY?.split(",").map((key) => key.trim()) ?? [access],
    secrets: { access, refresh: refreshSecret ? named[refreshSecret] ?? "" : access },
    lifetimes: { access: values.accessLifetime, refresh: values.refreshLifetime },
    admin: {
      email: values.ADMIN_EMAIL.toLowerCase(),
      password: values.ADMIN_PASSWORD,
      strict: isProduction(named),
    },
    registration: values.REGISTRATION,
    emailVerification: values.EMAIL_VERIFICATION,
    mfaRequiredRoles: values.MFA_REQUIRED_ROLES,
    stepUpRoles: values.STEP_UP_ROLES,
    providers: values.OIDC_PROVIDERS,
  };
}

/**
 * On a developer's machine, where nobody has said who the administrator is: not in production, not with a demo, nor where
 * this machine cannot reach the server by a loopback address, or people reach it by another name or through a proxy.
 */
function isSetUpHere(named: Environment, values: Values): boolean {
  const { HOST, PUBLIC_URL, TRUSTED_PROXIES, USE_MOCK } = values;
  const isNamed = named.ADMIN_EMAIL !== undefined || named.ADMIN_PASSWORD !== undefined;
  const host = PUBLIC_URL === undefined ? "localhost" : new URL(PUBLIC_URL).hostname;
  return !isNamed && !USE_MOCK && !isProduction(named) && TRUSTED_PROXIES.length === 0 &&
    (isLoopback(HOST) || /^(0\.0\.0\.0|::)$/.test(HOST)) && isLoopback(host);
}

/** Who may come from where. */
function guardsOf(values: Values, variant: Variant) {
  const { CORS_ORIGIN } = values;
  return {
    corsOrigins: CORS_ORIGIN.length === 0 || CORS_ORIGIN.includes("*") ? null : CORS_ORIGIN,
    trustedProxies: values.TRUSTED_PROXIES,
    rateLimits: values.RATE_LIMIT,
    webhooks: { days: values.WEBHOOK_DAYS, allowPrivate: values.WEBHOOK_ALLOW_PRIVATE },
    metricsToken: values.METRICS_TOKEN,
    console: values.CONSOLE && values.API_URL !== "" && variant.modules.includes("users"),
    mcp: values.MCP,
    events: {
      streams: values.EVENT_STREAMS,
      streamsPerUser: values.EVENT_STREAMS_PER_USER,
    },
  };
}

/** What may be stored. */
function limitsOf(values: Values, variant: Variant) {
  const types = values.UPLOAD_TYPES.length > 0 ? values.UPLOAD_TYPES : variant.uploadTypes;
  return {
    uploads: {
      maxBytes: values.UPLOAD_MAX_BYTES,
      types: types?.includes("*") ? null : types,
      quota: values.STORAGE_QUOTA,
    },
    recordsQuota: values.RECORDS_QUOTA,
    snippets: {
      days: values.SNIPPET_DAYS,
      quota: values.SNIPPET_QUOTA,
      origin: values.SNIPPET_ORIGIN,
    },
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
