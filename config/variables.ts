// The variables, and how each is read: one schema, whose messages say what was expected, with an example.
import { z } from "zod";
import { isNetwork } from "../core/addresses.ts";
import { providersVariable } from "./providers.ts";
import type { Variant } from "./variants.ts";

export type LogLevel = "trace" | "debug" | "info" | "warning" | "error" | "fatal";

const DURATION_UNITS: Readonly<Record<string, number>> = {
  s: 1,
  m: 60,
  h: 3600,
  d: 86400,
  w: 604800,
};
/** The longest lifetime, in seconds: the end of a much longer one would be beyond what a Date can hold. */
const CENTURY = 100 * 365 * 86400;
/** In seconds; a day is safely within the 31 bits (25 days) in which timers and PostgreSQL count milliseconds. */
const LONGEST_TIMEOUT = 86400;

/** Seconds of a duration such as `15m`, `7d` or a plain number of seconds; null when it is none. */
export function parseDuration(text: string): number | null {
  const match = /^(\d{1,9})\s*([smhdw]?)$/.exec(text.trim().toLowerCase());
  const seconds = match ? Number(match[1]) * (DURATION_UNITS[match[2] || "s"] ?? 1) : 0;
  return seconds > 0 && seconds <= CENTURY ? seconds : null;
}

/** Bytes of a size such as `10MB`, `1GiB` or a plain number; multiples of 1024; null when it is none. */
export function parseSize(text: string): number | null {
  const match = /^(\d{1,15})\s*(?:([kmgt])i?b?|b)?$/i.exec(text.trim());
  if (!match) return null;
  const power = match[2] ? "kmgt".indexOf(match[2].toLowerCase()) + 1 : 0;
  const bytes = Number(match[1]) * 1024 ** power;
  return bytes > 0 && Number.isSafeInteger(bytes) ? bytes : null;
}

/** A variable parsed by a function that answers null for what it cannot read. */
function parsed<T>(parse: (text: string) => T | null, expected: string, fallback: string) {
  return z.string().default(fallback).transform((text, context) => {
    const value = parse(text);
    if (value !== null) return value;
    context.addIssue({ code: "custom", message: `expected ${expected}, received '${text}'` });
    return z.NEVER;
  });
}

const lifetime = (fallback: string) =>
  parsed(parseDuration, "a number and a unit such as 15m or 7d", fallback);
const timeout = (fallback: string) =>
  parsed(
    (text) => {
      const seconds = parseDuration(text);
      return seconds !== null && seconds <= LONGEST_TIMEOUT ? seconds : null;
    },
    "a time of up to 1d, such as 30s",
    fallback,
  );
const size = (fallback: string) => parsed(parseSize, "a size such as 10MB", fallback);
const whole = (min: number, max: number, fallback: number) =>
  parsed(
    (text) => /^\d{1,12}$/.test(text) && +text >= min && +text <= max ? +text : null,
    `a whole number from ${min} to ${max} such as ${fallback}`,
    String(fallback),
  );

/** One of the names in a table, in either case. */
function named<T>(table: Readonly<Record<string, T>>, expected: string, fallback: string) {
  const values = new Map(Object.entries(table));
  return parsed((text) => values.get(text.toLowerCase()) ?? null, expected, fallback);
}

const flag = (fallback: "true" | "false") =>
  named({ true: true, "1": true, false: false, "0": false }, "true or false", fallback);

/** A list separated by commas, each item of the same form. */
function list(valid: (item: string) => boolean, expected: string) {
  return z.string().default("").transform((text, context) => {
    const items = text.split(",").map((item) => item.trim()).filter(Boolean);
    const wrong = items.find((item) => !valid(item));
    if (wrong !== undefined) {
      context.addIssue({ code: "custom", message: `expected ${expected}, received '${wrong}'` });
    }
    return items;
  });
}

/** A text that may hold a password, so that messages do not repeat it. */
const secretive = (valid: (text: string) => boolean, expected: string) =>
  z.string().refine(valid, `expected ${expected}`).optional();

function parseBasePath(text: string): string | null {
  const path = /^https?:\/\//.test(text) ? URL.parse(text)?.pathname : text;
  if (path === undefined || !/^\/?[\w\-./~]*$/.test(path)) return null;
  return path.replace(/^\/*/, "/").replace(/\/+$/, "");
}

function isStoreUrl(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text) ? URL.canParse(text) : /^(kv:|sqlite:.)/.test(text);
}

function isSmtpUrl(text: string): boolean {
  return /^smtps?:\/\//.test(text) && Boolean(URL.parse(text)?.hostname);
}

const LOG_LEVELS: Readonly<Record<string, LogLevel>> = {
  trace: "trace",
  debug: "debug",
  info: "info",
  warn: "warning",
  warning: "warning",
  error: "error",
  fatal: "fatal",
  silent: "fatal",
};

const SWITCH = { on: true, off: false, true: true, false: false, "1": true, "0": false } as const;

const STAGES = { development: "development", test: "test", production: "production" } as const;

const server = (variant: Variant) => ({
  VARIANT: z.string().optional(),
  DENO_ENV: named(STAGES, "development, test or production", "development"),
  DENO_DEPLOYMENT_ID: z.string().optional(),
  DENO_DEPLOY: z.string().optional(),
  PORT: whole(0, 65535, variant.port),
  HOST: z.string().regex(/^[\w.:-]+$/, "expected an address such as 127.0.0.1")
    .default("0.0.0.0"),
  API_URL: parsed(parseBasePath, "a path such as /api", "/api"),
  PUBLIC_URL: z.url({
    protocol: /^https?$/,
    error: "expected a URL such as https://admin.example.com",
  }).optional(),
  FRONTEND_URL: z.url({
    protocol: /^https?$/,
    error: "expected a URL such as https://app.example.com",
  }).optional(),
  PASSKEY_DOMAIN: z.string().regex(
    /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/,
    "expected a domain such as example.com",
  ).optional(),
  LOG_LEVEL: named(LOG_LEVELS, "trace, debug, info, warn, error or fatal", "info"),
  USE_MOCK: flag("false"),
});

const storage = {
  DATABASE_URL: secretive(
    isStoreUrl,
    "a URL such as postgres://user:password@host/db, sqlite:data/file.db or kv:data/file.kv",
  ),
  DENO_KV_PATH: z.string().optional(),
  DATABASE_POOL_SIZE: whole(1, 1000, 10),
  DATABASE_STATEMENT_TIMEOUT: timeout("5s"),
  DATABASE_CONNECTION_TIMEOUT: timeout("5s"),
  CACHE_MAX_MB: whole(1, 65536, 96),
  UNVERIFIED_DAYS: whole(0, 36_500, 30),
  AUDIT_DAYS: whole(0, 36_500, 365),
  AUDIT_KEY: secretive(
    (text) => text.split(",").every((key) => key.trim().length >= 32),
    "at least 32 characters, such as $(openssl rand -hex 32); former keys may follow, parted by commas",
  ),
  TRASH_DAYS: whole(0, 36_500, 30),
  REVISIONS_KEPT: whole(0, 1000, 50),
  WEBHOOK_DAYS: whole(0, 36_500, 30),
};

const backups = {
  BACKUP_EVERY: parsed(
    (text) => text === "never" ? 0 : parseDuration(text),
    "never, or a time between two such as 1d",
    "never",
  ),
  BACKUP_KEEP: whole(1, 1000, 7),
  BACKUP_DIR: z.string().optional(),
};

const accounts = (variant: Variant) => ({
  accessLifetime: lifetime(variant.accessLifetime.fallback),
  refreshLifetime: lifetime(variant.refreshLifetime.fallback),
  ADMIN_EMAIL: z.email("expected an e-mail address such as admin@example.com")
    .default("admin@example.com"),
  ADMIN_PASSWORD: secretive(
    (text) => text.length >= 6 && text.length <= 128,
    "6 to 128 characters such as 'correct horse battery'",
  ),
  REGISTRATION: flag("true"),
  EMAIL_VERIFICATION: named<boolean>(SWITCH, "on or off", "on"),
  MFA_REQUIRED_ROLES: list(
    (name) => /^[\w.-]{1,100}$/.test(name),
    "names of roles such as super_admin,admin",
  ),
  STEP_UP_ROLES: flag("false"),
  OIDC_PROVIDERS: providersVariable,
});

/** Who may come from where. */
const guards = {
  CORS_ORIGIN: list(
    (origin) => origin === "*" || URL.parse(origin)?.origin === origin,
    "origins such as https://admin.example.com, without a path",
  ),
  TRUSTED_PROXIES: list(isNetwork, "addresses and blocks such as 10.0.0.0/8"),
  RATE_LIMIT: flag("true"),
  MCP: flag("false"),
  EVENT_STREAMS: whole(0, 1_000_000, 5000),
  EVENT_STREAMS_PER_USER: whole(1, 100_000, 20),
  WEBHOOK_ALLOW_PRIVATE: flag("false"),
  METRICS_TOKEN: secretive(
    (text) => text.length >= 16,
    "at least 16 characters, such as $(openssl rand -hex 16)",
  ),
};

const mail = {
  SMTP_URL: secretive(isSmtpUrl, "a URL such as smtp://user:password@mail.example.com:587"),
  MAIL_FROM: z.string().regex(
    /^(?:[^<>\r\n]*<[^\s<>@,]+@[^\s<>@,]+>|[^\s<>@,]+@[^\s<>@,]+)$/,
    "expected a sender such as Quarterdeck <no-reply@example.com>",
  ).default("Quarterdeck <no-reply@localhost>"),
};

/** What may be stored. */
const limits = {
  UPLOAD_MAX_BYTES: size("10MB"),
  UPLOAD_TYPES: list(
    (type) => /^(\*|[a-z0-9.+-]+\/[a-z0-9.+-]+)$/.test(type),
    "media types in lower case such as image/png, or *",
  ),
  STORAGE_QUOTA: size("1GB"),
  RECORDS_QUOTA: whole(1, 1_000_000_000, 100_000),
  SNIPPETS: flag("true"),
  SNIPPET_DAYS: whole(0, 36_500, 30),
  SNIPPET_QUOTA: size("10MB"),
  SNIPPET_ORIGIN: z.string().refine(
    (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? "") && URL.parse(text)?.origin === text,
    "expected an origin such as https://snippets.example.com, without a path",
  ).optional(),
};

/** Every variable but the secrets, by name; lifetimes are named by the variant. */
export function environmentSchema(variant: Variant) {
  return z.object({
    ...server(variant),
    ...storage,
    ...backups,
    ...accounts(variant),
    ...guards,
    ...mail,
    ...limits,
  });
}
