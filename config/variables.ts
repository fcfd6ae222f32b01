// The variables: how each is read and what it means, in one schema whose messages say what was expected, with an example.
import { z } from "zod";
import { isNetwork } from "../core/addresses.ts";
import { BUCKET_EXAMPLE, parseBucketUrl } from "./bucket.ts";
import {
  flag,
  isPlainAddress,
  isSmtpUrl,
  isStoreUrl,
  lifetime,
  list,
  named,
  parseBasePath,
  parsed,
  parseDuration,
  secret,
  secretive,
  secretUrl,
  size,
  timeout,
  webAddress,
  whole,
} from "./parsers.ts";
import { providersVariable } from "./providers.ts";
import type { Variant } from "./variants.ts";

export type LogLevel = "trace" | "debug" | "info" | "warning" | "error" | "fatal";

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
  VARIANT: z.string().optional().describe("Which API is served: compact, full, web or snippets"),
  DENO_ENV: named(STAGES, "development, test or production", "development").describe(
    "In production no secret is generated, and no link is logged",
  ),
  DENO_DEPLOYMENT_ID: z.string().optional().describe("Set by Deno Deploy: it means production"),
  DENO_DEPLOY: z.string().optional().describe("Set by Deno Deploy: it means production"),
  PORT: whole(0, 65535, variant.port).describe("The port to listen on"),
  HOST: z.string().regex(/^[\w.:-]+$/, "expected an address such as 127.0.0.1")
    .default("0.0.0.0").describe("The address to listen on; 127.0.0.1 for this machine alone"),
  API_URL: parsed(parseBasePath, "a path such as /api", "/api").describe("Base path of the API"),
  PUBLIC_URL: webAddress("a URL such as https://admin.example.com").refine(
    isPlainAddress,
    "expected a URL such as https://admin.example.com, without a user, a query or a fragment",
  ).optional().describe("Where people reach the server; with https, cookies are secure"),
  FRONTEND_URL: webAddress("a URL such as https://app.example.com").optional().describe(
    "Where links in mails lead",
  ),
  PASSKEY_DOMAIN: z.string().regex(
    /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/,
    "expected a domain such as example.com",
  ).optional().describe("The domain that passkeys are for"),
  LOG_LEVEL: named(LOG_LEVELS, "trace, debug, info, warn, error or fatal", "info").describe(
    "The least that is logged",
  ),
  USE_MOCK: flag("false").describe("Whether an empty store is filled with a demo"),
});

const storage = {
  DATABASE_URL: secretUrl(
    isStoreUrl,
    "a URL such as postgres://user:password@host/db, sqlite:data/file.db or kv:data/file.kv",
  ).describe("Where the data is"),
  // What other variables and engines take would be the name of a file, with the password in it.
  DENO_KV_PATH: z.string().refine(
    (text) => !/^(kv|sqlite|postgres(ql)?):/i.test(text),
    "expected a file such as data/quarterdeck.kv, or the address of a KV Connect server such as https://kv.example.com",
  ).optional().describe("The file of a Deno KV store, or the address of a KV Connect server"),
  DATABASE_POOL_SIZE: whole(1, 1000, 10).describe("Connections to PostgreSQL"),
  DATABASE_STATEMENT_TIMEOUT: timeout("5s").describe("How long PostgreSQL may take to answer"),
  DATABASE_CONNECTION_TIMEOUT: timeout("5s").describe(
    "How long to wait for a connection to PostgreSQL",
  ),
  CACHE_MAX_MB: whole(1, 65536, 96).describe("Memory for records, in MiB"),
  UNVERIFIED_DAYS: whole(0, 36_500, 30).describe(
    "Days without use after which an account that never confirmed its address is removed; 0: never",
  ),
  AUDIT_DAYS: whole(0, 36_500, 365).describe("Days that entries of the audit log are kept; 0: all"),
  AUDIT_KEY: secretive(
    (text) => text.split(",").every((key) => key.trim().length >= 32),
    "at least 32 characters, such as $(openssl rand -hex 32); former keys may follow, parted by commas",
  ).describe("What the audit log's chain is signed with; former keys after a comma"),
  TRASH_DAYS: whole(0, 36_500, 30).describe(
    "Days that what is deleted can be restored; 0: it is gone at once",
  ),
  REVISIONS_KEPT: whole(0, 1000, 50).describe("Revisions kept of each document; 0: none"),
  WEBHOOK_DAYS: whole(0, 36_500, 30).describe("Days that what webhooks were told is kept; 0: all"),
};

const backups = {
  BACKUP_EVERY: parsed(
    (text) => text === "never" ? 0 : parseDuration(text),
    "never, or a time between two such as 1d",
    "never",
  ).describe("Time between two backups that the server makes by itself"),
  BACKUP_KEEP: whole(1, 1000, 7).describe("How many of these backups are kept"),
  BACKUP_DIR: z.string().optional().describe("The folder of the backups"),
  BACKUP_S3_URL: secretUrl(
    (text) => parseBucketUrl(text) !== null,
    `a URL such as ${BUCKET_EXAMPLE}`,
  ).describe("A bucket that speaks S3, which backups go to besides"),
  BACKUP_S3_ACCESS_KEY_ID: z.string().optional().describe("The name of the key to the bucket"),
  BACKUP_S3_SECRET_ACCESS_KEY: secret().describe("The key to the bucket"),
  BACKUP_S3_SESSION_TOKEN: secret().describe("What goes with a key that is good for a while"),
};

const accounts = (variant: Variant) => ({
  accessLifetime: lifetime(variant.accessLifetime.fallback).describe(
    "How long an access token is good",
  ),
  refreshLifetime: lifetime(variant.refreshLifetime.fallback).describe(
    "How long a refresh token is good",
  ),
  ADMIN_EMAIL: z.email("expected an e-mail address such as admin@example.com")
    .default("admin@example.com").describe(
      "The first administrator, made in a store without users",
    ),
  ADMIN_PASSWORD: secretive(
    (text) => text.length >= 6 && text.length <= 128,
    "6 to 128 characters such as 'correct horse battery'",
  ).describe("The first administrator's password"),
  REGISTRATION: flag("true").describe("Whether anyone may register an account"),
  EMAIL_VERIFICATION: named<boolean>(SWITCH, "on or off", "on").describe(
    "Whether who registers has to confirm the address",
  ),
  MFA_REQUIRED_ROLES: list(
    (name) => /^[\w.-]{1,100}$/.test(name),
    "names of roles such as super_admin,admin",
  ).describe("Roles whose users may do nothing without a second factor but set one up"),
  STEP_UP_ROLES: flag("false").describe(
    "Whether changing roles and permissions takes a fresh proof of who one is",
  ),
  OIDC_PROVIDERS: providersVariable.describe("Whom people may sign in by (OpenID Connect)"),
});

/** Who may come from where. */
const guards = {
  CORS_ORIGIN: list(
    (origin) => origin === "*" || URL.parse(origin)?.origin === origin,
    "origins such as https://admin.example.com, without a path",
  ).describe("Origins of front ends that send credentials; without any, all may ask without"),
  TRUSTED_PROXIES: list(isNetwork, "addresses and blocks such as 10.0.0.0/8").describe(
    "Proxies whose X-Forwarded-For is believed",
  ),
  RATE_LIMIT: flag("true").describe(
    "Limits on failed logins, registrations, mails and public routes",
  ),
  CONSOLE: flag("true").describe("Whether the console is served at the root"),
  MCP: flag("false").describe("Whether programs may call the routes as tools, at /mcp"),
  EVENT_STREAMS: whole(0, 1_000_000, 5000).describe(
    "Streams of events that may be open at this process",
  ),
  EVENT_STREAMS_PER_USER: whole(1, 100_000, 20).describe(
    "Streams of events that one user may have open at this process",
  ),
  WEBHOOK_ALLOW_PRIVATE: flag("false").describe(
    "Whether webhooks may lead into private networks, and to http://",
  ),
  METRICS_TOKEN: secretive(
    (text) => text.length >= 16,
    "at least 16 characters, such as $(openssl rand -hex 16)",
  ).describe("The bearer token of /metrics"),
};

const mail = {
  SMTP_URL: secretUrl(isSmtpUrl, "a URL such as smtp://user:password@mail.example.com:587")
    .describe("The mail server; without one, links are logged outside production"),
  MAIL_FROM: z.string().regex(
    /^(?:[^<>\r\n]*<[^\s<>@,]+@[^\s<>@,]+>|[^\s<>@,]+@[^\s<>@,]+)$/,
    "expected a sender such as Quarterdeck <no-reply@example.com>",
  ).default("Quarterdeck <no-reply@localhost>").describe("The sender of mails"),
};

/** What may be stored. */
const limits = {
  UPLOAD_MAX_BYTES: size("10MB").describe("The largest file"),
  UPLOAD_TYPES: list(
    (type) => /^(\*|[a-z0-9.+-]+\/[a-z0-9.+-]+)$/.test(type),
    "media types in lower case such as image/png, or *",
  ).describe("Media types of uploads, by the bytes of the file; * for all"),
  STORAGE_QUOTA: size("1GB").describe("What one user may store"),
  RECORDS_QUOTA: whole(1, 1_000_000_000, 100_000).describe(
    "Records that one user may have, and changes that one may make in a day",
  ),
  SNIPPETS: flag("true").describe("Whether there are snippets"),
  SNIPPET_DAYS: whole(0, 36_500, 30).describe(
    "Days that a snippet without an owner is kept; 0: for good",
  ),
  SNIPPET_QUOTA: size("10MB").describe("What the snippets of one owner may take"),
  SNIPPET_ORIGIN: z.string().refine(
    (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? "") && URL.parse(text)?.origin === text,
    "expected an origin such as https://snippets.example.com, without a path",
  ).optional().describe("A host of their own for the pages of snippets"),
};

/** The secrets that variants sign with: see secrets.ts for how they are read. */
export const SECRETS: Readonly<Record<string, string>> = {
  JWT_SECRET: "Signs access tokens",
  SESSION_SECRET: "Signs session tokens",
  REFRESH_TOKEN_SECRET: "Signs refresh tokens",
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
