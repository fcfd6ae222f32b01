// The environment as a table: every variable with values that work and values that stop the start.
import assert from "node:assert/strict";
import { chooseVariant, type Environment, SettingsError } from "../../config/environment.ts";
import { parseSettings, type Settings, variableNames } from "../../config/settings.ts";
import { parseDuration, parseSize } from "../../config/parsers.ts";
import { variants } from "../../config/variants.ts";

const SECRET = "0123456789abcdef0123456789abcdef";
const OTHER_SECRET = "fedcba9876543210fedcba9876543210";
const SECRETS = { JWT_SECRET: SECRET, REFRESH_TOKEN_SECRET: OTHER_SECRET, SESSION_SECRET: SECRET };

const load = (env: Environment = {}): Settings => parseSettings({ ...SECRETS, ...env });

/** What is said about an environment that cannot be used. */
function problem(env: Environment): string {
  try {
    load(env);
  } catch (error) {
    assert.ok(error instanceof SettingsError, String(error));
    assert.match(error.message, /^Cannot start: /);
    return error.message;
  }
  return "accepted";
}

type Valid = [
  variable: string,
  value: string,
  read: (settings: Settings) => unknown,
  expected: unknown,
];

const valid: Valid[] = [
  ["VARIANT", "full", (c) => c.variant.name, "full"],
  ["VARIANT", "FULL", (c) => c.variant.name, "full"],
  ["VARIANT", "k", (c) => c.variant.name, "compact"],
  ["VARIANT", "R", (c) => c.variant.name, "full"],
  ["VARIANT", "A", (c) => c.variant.name, "web"],
  ["VARIANT", "snippets", (c) => c.variant.name, "snippets"],
  ["DENO_ENV", "production", (c) => c.production, true],
  ["DENO_ENV", "Production", (c) => c.production, true],
  ["DENO_ENV", "test", (c) => c.production, false],
  ["DENO_DEPLOYMENT_ID", "a1", (c) => [c.production, c.storeUrl], [true, "kv:"]],
  ["DENO_DEPLOY", "1", (c) => [c.production, c.storeUrl], [true, "kv:"]],
  ["PORT", "0", (c) => c.port, 0],
  ["PORT", "65535", (c) => [c.port, c.publicUrl], [65535, "http://localhost:65535"]],
  ["HOST", "127.0.0.1", (c) => c.hostname, "127.0.0.1"],
  ["HOST", "::1", (c) => c.hostname, "::1"],
  ["API_URL", "/", (c) => c.basePath, ""],
  ["API_URL", "v1", (c) => c.basePath, "/v1"],
  ["API_URL", "/api/v2/", (c) => c.basePath, "/api/v2"],
  ["API_URL", "http://localhost:3000/api", (c) => c.basePath, "/api"],
  ["VITE_API_URL", "/other", (c) => c.basePath, "/other"],
  ["FRONTEND_URL", "https://app.example.com/", (c) => c.frontendUrl, "https://app.example.com"],
  ["PUBLIC_URL", "HTTPS://A.example/", (c) => [c.publicUrl, c.frontendUrl], [
    "https://a.example",
    "https://a.example",
  ]],
  ["FRONTEND_URL", "https://a.example/#", (c) => c.frontendUrl, "https://a.example/#"],
  ["PUBLIC_URL", "https://a.example/x", (c) => c.frontendUrl, "https://a.example/x"],
  ["EMAIL_VERIFICATION", "off", (c) => c.emailVerification, false],
  ["EMAIL_VERIFICATION", "ON", (c) => c.emailVerification, true],
  ["MFA_REQUIRED_ROLES", "admin, super_admin", (c) => c.mfaRequiredRoles, ["admin", "super_admin"]],
  ["STEP_UP_ROLES", "true", (c) => c.stepUpRoles, true],
  ["OIDC_PROVIDERS", "[]", (c) => c.providers, []],
  [
    "OIDC_PROVIDERS",
    '[{"name":"google","issuer":"https://accounts.google.com","clientId":"a"}]',
    (c) => c.providers,
    [{
      name: "google",
      issuer: "https://accounts.google.com",
      clientId: "a",
      label: "google",
      defaultRole: "user",
      allowedDomains: [],
      signUp: false,
      trustEmail: false,
    }],
  ],
  [
    "OIDC_PROVIDERS",
    '[{"name":"dev","issuer":"http://127.0.0.1:9000/o","clientId":"a","allowedDomains":["Example.COM"]}]',
    (c) => c.providers.map(({ issuer, allowedDomains }) => [issuer, allowedDomains]),
    [["http://127.0.0.1:9000/o", ["example.com"]]],
  ],
  ["EMAIL_VERIFICATION", "0", (c) => c.emailVerification, false],
  ["PUBLIC_URL", "https://admin.example.com/", (c) => c.publicUrl, "https://admin.example.com"],
  ["DATABASE_URL", "postgres://u:p@h:5432/d", (c) => c.storeUrl, "postgres://u:p@h:5432/d"],
  [
    "DATABASE_URL",
    "postgresql://h/d?sslmode=require",
    (c) => c.storeUrl.slice(0, 14),
    "postgresql://h",
  ],
  ["DATABASE_URL", "sqlite:data/x.db", (c) => c.storeUrl, "sqlite:data/x.db"],
  ["DATABASE_URL", "kv:data/x.kv", (c) => c.storeUrl, "kv:data/x.kv"],
  ["DENO_KV_PATH", "/var/lib/q.kv", (c) => c.storeUrl, "kv:/var/lib/q.kv"],
  ["DENO_KV_PATH", "https://kv.example.com", (c) => c.storeUrl, "kv:https://kv.example.com"],
  ["DATABASE_POOL_SIZE", "25", (c) => c.database.poolSize, 25],
  ["DATABASE_STATEMENT_TIMEOUT", "1m", (c) => c.database.statementTimeout, 60_000],
  ["DATABASE_CONNECTION_TIMEOUT", "2", (c) => c.database.connectionTimeout, 2000],
  ["JWT_ACCESS_EXPIRES", "1h", (c) => c.lifetimes.access, 3600],
  ["JWT_REFRESH_EXPIRES", "2w", (c) => c.lifetimes.refresh, 1_209_600],
  ["ADMIN_EMAIL", "Root@Example.com", (c) => c.admin.email, "root@example.com"],
  ["ADMIN_PASSWORD", "s3cret", (c) => c.admin.password, "s3cret"],
  ["USE_MOCK", "true", (c) => c.mock, true],
  ["USE_MOCK", "1", (c) => c.mock, true],
  ["VITE_USE_MOCK", "TRUE", (c) => c.mock, true],
  ["REGISTRATION", "false", (c) => c.registration, false],
  ["REGISTRATION", "0", (c) => c.registration, false],
  ["CORS_ORIGIN", "https://a.example", (c) => c.corsOrigins, ["https://a.example"]],
  ["CORS_ORIGIN", "http://a:3000, http://b", (c) => c.corsOrigins, ["http://a:3000", "http://b"]],
  ["CORS_ORIGIN", "*", (c) => c.corsOrigins, null],
  ["SNIPPETS", "false", (c) => c.variant.modules.includes("snippets"), false],
  ["SNIPPETS", "true", (c) => c.variant.modules.includes("snippets"), true],
  ["SNIPPET_DAYS", "0", (c) => c.snippets.days, 0],
  ["SNIPPET_QUOTA", "1MB", (c) => c.snippets.quota, 1024 * 1024],
  [
    "SNIPPET_ORIGIN",
    "https://snippets.example",
    (c) => c.snippets.origin,
    "https://snippets.example",
  ],
  ["LOG_LEVEL", "warn", (c) => c.logLevel, "warning"],
  ["LOG_LEVEL", "DEBUG", (c) => c.logLevel, "debug"],
  ["LOG_LEVEL", "silent", (c) => c.logLevel, "fatal"],
  ["SMTP_URL", "smtp://u:p@mail:587", (c) => c.smtpUrl, "smtp://u:p@mail:587"],
  ["SMTP_URL", "smtps://mail.example.com", (c) => c.smtpUrl, "smtps://mail.example.com"],
  ["MAIL_FROM", "root@example.com", (c) => c.mailFrom, "root@example.com"],
  ["MAIL_FROM", "The Deck <a@b.example>", (c) => c.mailFrom, "The Deck <a@b.example>"],
  ["TRUSTED_PROXIES", "10.0.0.0/8, ::1", (c) => c.trustedProxies, ["10.0.0.0/8", "::1"]],
  ["RATE_LIMIT", "false", (c) => c.rateLimits, false],
  ["UPLOAD_MAX_BYTES", "5MB", (c) => c.uploads.maxBytes, 5_242_880],
  ["UPLOAD_TYPES", "image/png, text/csv", (c) => c.uploads.types, ["image/png", "text/csv"]],
  ["UPLOAD_TYPES", "*", (c) => c.uploads.types, null],
  ["STORAGE_QUOTA", "500", (c) => c.uploads.quota, 500],
  ["RECORDS_QUOTA", "500", (c) => c.recordsQuota, 500],
  ["METRICS_TOKEN", "0123456789abcdef", (c) => c.metricsToken, "0123456789abcdef"],
  ["EVENT_STREAMS", "0", (c) => c.events.streams, 0],
  ["EVENT_STREAMS_PER_USER", "3", (c) => c.events.streamsPerUser, 3],
  ["CACHE_MAX_MB", "1", (c) => c.cacheMaxBytes, 1_048_576],
];

for (const [variable, value, read, expected] of valid) {
  Deno.test(`settings: ${variable}=${value}`, () => {
    assert.deepEqual(read(load({ [variable]: value })), expected);
  });
}

/** One provider, right but for what is given. */
function provider(patch: Record<string, unknown> = {}): string {
  return JSON.stringify([{ name: "a", issuer: "https://a.example", clientId: "b", ...patch }]);
}

/** The message must hold the variable, and the expression: the problem, and an example. */
const invalid: [variable: string, value: string, message: RegExp][] = [
  ["VARIANT", "tiny", /expected compact, full, web or snippets .*received 'tiny'/],
  ["VARIANT", "constructor", /received 'constructor'/],
  ["VARIANT", "__proto__", /received '__proto__'/],
  ["DENO_ENV", "prod", /expected development, test or production, received 'prod'/],
  ["PORT", "http", /expected a whole number from 0 to 65535 such as 8000, received 'http'/],
  ["PORT", "65536", /received '65536'/],
  ["PORT", "80.5", /received/],
  ["PORT", "-1", /received/],
  ["HOST", "http://localhost", /such as 127\.0\.0\.1/],
  ["API_URL", "/a b", /expected a path such as \/api, received '\/a b'/],
  ["API_URL", "/a?b", /received/],
  ["VITE_API_URL", "/a#b", /^Cannot start: VITE_API_URL: /],
  ["PUBLIC_URL", "admin.example.com", /such as https:\/\/admin\.example\.com/],
  ["PUBLIC_URL", "ftp://admin.example.com", /such as https/],
  ["PUBLIC_URL", "https://a.example?b", /without a user, a query or a fragment/],
  ["PUBLIC_URL", "https://a.example/#/", /without a user, a query or a fragment/],
  ["PUBLIC_URL", "https://b:c@a.example", /without a user, a query or a fragment/],
  ["API_URL", "/api/../v2", /a path such as \/api/],
  ["API_URL", "/.", /a path such as \/api/],
  ["DENO_KV_PATH", "kv:data/q.kv", /a file such as data\/quarterdeck\.kv/],
  ["DENO_KV_PATH", "postgres://u:p@h/d", /a file such as data\/quarterdeck\.kv/],
  ["BACKUP_S3_URL", "https://s3.example.com", /expected a URL such as https:\/\/s3\.example\.com/],
  ["BACKUP_S3_SECRET_ACCESS_KEY", "sekrit", /it is of no use without BACKUP_S3_URL/],
  ["DATABASE_URL", "mysql://h/d", /such as postgres:\/\//],
  ["DATABASE_URL", "postgres://u:p@h:port/d", /such as postgres:\/\//],
  ["DATABASE_URL", "sqlite:", /sqlite:data\/file\.db/],
  ["DATABASE_URL", "sqlite: ", /sqlite:data\/file\.db/],
  ["DATABASE_URL", "kv: ", /kv:data\/file\.kv/],
  ["DATABASE_URL", "kv:", /only on Deno Deploy/],
  ["DATABASE_POOL_SIZE", "0", /from 1 to 1000 such as 10, received '0'/],
  ["DATABASE_STATEMENT_TIMEOUT", "30d", /up to 1d, such as 30s, received '30d'/],
  ["DATABASE_CONNECTION_TIMEOUT", "0", /such as 30s, received '0'/],
  ["JWT_ACCESS_EXPIRES", "15 moons", /such as 15m or 7d, received '15 moons'/],
  ["JWT_ACCESS_EXPIRES", "0", /received '0'/],
  ["JWT_REFRESH_EXPIRES", "999999999w", /received/],
  ["ADMIN_EMAIL", "root", /such as admin@example\.com/],
  ["ADMIN_PASSWORD", "abc", /6 to 128 characters/],
  ["ADMIN_PASSWORD", "x".repeat(129), /6 to 128 characters/],
  ["USE_MOCK", "yes", /expected true or false, received 'yes'/],
  ["USE_MOCK", "constructor", /received 'constructor'/],
  ["VITE_USE_MOCK", "maybe", /^Cannot start: VITE_USE_MOCK: /],
  ["REGISTRATION", "off", /received 'off'/],
  ["CORS_ORIGIN", "https://a.example/app", /such as .*received 'https:\/\/a\.example\/app'/],
  ["CORS_ORIGIN", "https://a.example, b.example", /received 'b\.example'/],
  ["LOG_LEVEL", "loud", /trace, debug, info, warn, error or fatal, received 'loud'/],
  ["LOG_LEVEL", "toString", /received 'toString'/],
  ["FRONTEND_URL", "app.example.com", /such as https:\/\/app/],
  ["FRONTEND_URL", "https://a.example.com,https://b.example.com", /such as https:\/\/app/],
  ["PUBLIC_URL", "https://a.example.com,b.example.com", /such as https:\/\/admin/],
  ["PASSKEY_DOMAIN", "https://example.com", /a domain such as example\.com/],
  ["PASSKEY_DOMAIN", "example.com", /expected localhost or a domain above it/],
  ["EMAIL_VERIFICATION", "maybe", /expected on or off, received 'maybe'/],
  ["OIDC_PROVIDERS", "google", /expected a JSON array of providers\. Example: OIDC_PROVIDERS='\[/],
  ["OIDC_PROVIDERS", "{}", /expected at the top a list\. Example/],
  ["OIDC_PROVIDERS", "[{}]", /expected at 0\.name a text\. Example/],
  ["OIDC_PROVIDERS", '["company"]', /expected at 0 an object\. Example/],
  ["OIDC_PROVIDERS", provider({ issuer: "http://id.example.com" }), /expected at 0\.issuer a URL/],
  ["OIDC_PROVIDERS", provider({ issuer: "https://a.example/?b" }), /expected at 0\.issuer a URL/],
  ["OIDC_PROVIDERS", provider({ issuer: "https://u:p@a.example" }), /expected at 0\.issuer a URL/],
  ["OIDC_PROVIDERS", provider({ name: "A b" }), /expected at 0\.name lower-case letters/],
  ["OIDC_PROVIDERS", provider({ clientId: " " }), /expected at 0\.clientId a text\. Example/],
  [
    "OIDC_PROVIDERS",
    provider({ label: "x".repeat(101) }),
    /at 0\.label at most 100 characters\. E/,
  ],
  [
    "OIDC_PROVIDERS",
    provider({ allowedDomains: "a.example" }),
    /0\.allowedDomains a list\. Example/,
  ],
  ["OIDC_PROVIDERS", provider({ defaultRole: "super_admin" }), /at 0\.defaultRole another role/],
  [
    "OIDC_PROVIDERS",
    provider({ allowedDomains: ["@a.b"] }),
    /at 0\.allowedDomains\.0 domains such as/,
  ],
  ["OIDC_PROVIDERS", provider({ signUp: "yes" }), /expected at 0\.signUp true or false\. Example/],
  ["OIDC_PROVIDERS", provider({ sceret: "a" }), /expected at 0 no field 'sceret'\. Example/],
  [
    "OIDC_PROVIDERS",
    `[${[provider(), provider()].map((p) => p.slice(1, -1))}]`,
    /'a' is given twice/,
  ],
  ["SMTP_URL", "mail.example.com", /such as smtp:\/\//],
  ["SMTP_URL", "smtp://", /such as smtp:\/\//],
  ["MAIL_FROM", "Quarterdeck", /such as Quarterdeck <no-reply@example\.com>/],
  ["MAIL_FROM", "a@b.example\r\nBcc: eve@example.com", /such as Quarterdeck/],
  ["MAIL_FROM", "a@b.example, c@d.example", /such as Quarterdeck/],
  ["TRUSTED_PROXIES", "proxy.local", /such as 10\.0\.0\.0\/8, received 'proxy\.local'/],
  ["TRUSTED_PROXIES", "10.0.0.0/33", /received '10\.0\.0\.0\/33'/],
  ["TRUSTED_PROXIES", "::1/129", /received/],
  ["RATE_LIMIT", "2", /received '2'/],
  ["UPLOAD_MAX_BYTES", "big", /such as 10MB, received 'big'/],
  ["UPLOAD_MAX_BYTES", "0", /received '0'/],
  ["UPLOAD_TYPES", "images", /such as image\/png, or \*, received 'images'/],
  ["UPLOAD_TYPES", "image/*", /received/],
  ["STORAGE_QUOTA", "999999999999999TB", /received/],
  ["SNIPPETS", "no", /true or false/],
  ["SNIPPET_DAYS", "-1", /whole number from 0/],
  ["SNIPPET_ORIGIN", "https://snippets.example/s", /without a path/],
  ["SNIPPET_ORIGIN", "snippets.example", /an origin such as/],
  ["METRICS_TOKEN", "short", /at least 16 characters/],
  ["EVENT_STREAMS", "many", /whole number from 0/],
  ["EVENT_STREAMS_PER_USER", "0", /whole number from 1/],
  ["CACHE_MAX_MB", "0", /from 1 to 65536/],
];

for (const [variable, value, message] of invalid) {
  Deno.test(`settings: refuses ${variable}=${JSON.stringify(value.slice(0, 40))}`, () => {
    const said = problem({ [variable]: value });
    assert.match(said, new RegExp(`${variable}: `));
    assert.match(said, message);
  });
}

Deno.test("settings: providers take a PUBLIC_URL in production, where they send people back to", () => {
  const env = { DENO_ENV: "production", OIDC_PROVIDERS: provider() };
  assert.match(problem(env), /PUBLIC_URL: it is required with OIDC_PROVIDERS in production/);
  assert.equal(load({ ...env, PUBLIC_URL: "https://a.example" }).providers.length, 1);
});

Deno.test("config: messages do not repeat what may be secret", () => {
  const env = {
    DATABASE_URL: "mysql://u:hunter2@h/d",
    SMTP_URL: "mail://u:hunter2@h",
    METRICS_TOKEN: "hunter2",
    OIDC_PROVIDERS: provider({ clientSecret: "hunter2", name: "A" }),
    ADMIN_PASSWORD: "hunter2".repeat(20),
    JWT_SECRET: "hunter2",
    DENO_ENV: "production",
  };
  const said = problem(env);
  assert.doesNotMatch(said, /hunter2/);
  for (const variable of Object.keys(env).slice(0, 5)) {
    assert.match(said, new RegExp(`${variable}: expected`), said);
  }
});

Deno.test("config: every problem has its own line", () => {
  const said = problem({ PORT: "x", LOG_LEVEL: "y", JWT_SECRET: undefined });
  assert.deepEqual(
    said.split("\n").map((line) => line.replace("Cannot start: ", "").split(":")[0]),
    ["PORT", "LOG_LEVEL", "JWT_SECRET"],
  );
});

Deno.test("config: defaults by variant", () => {
  const defaults = (variant: string) => {
    const { port, storeUrl, lifetimes, uploads } = load({ VARIANT: variant });
    return [port, storeUrl, lifetimes.access, lifetimes.refresh, uploads.types?.length];
  };
  const [quarter, week, month] = [900, 604_800, 2_592_000];
  assert.deepEqual(defaults("compact"), [8000, "kv:data/quarterdeck.kv", quarter, week, undefined]);
  assert.deepEqual(defaults("snippets"), [
    8000,
    "kv:data/quarterdeck.kv",
    quarter,
    week,
    undefined,
  ]);
  assert.deepEqual(defaults("full"), [3001, "sqlite:data/quarterdeck.db", week, month, 3]);
  assert.deepEqual(defaults("web"), [3000, "kv:data/quarterdeck.kv", quarter, week, undefined]);
  assert.equal(load().variant.name, "compact");

  const { variant: _, secrets: __, lifetimes: ___, ...rest } = load();
  assert.deepEqual(rest, {
    production: false,
    port: 8000,
    hostname: "0.0.0.0",
    basePath: "/api",
    providers: [],
    publicUrl: "http://localhost:8000",
    frontendUrl: "http://localhost:8000",
    passkeyDomain: "localhost",
    storeUrl: "kv:data/quarterdeck.kv",
    database: { poolSize: 10, statementTimeout: 5000, connectionTimeout: 5000 },
    admin: { email: "admin@example.com", password: undefined, strict: false },
    setup: true,
    mock: false,
    recordsQuota: 100_000,
    registration: true,
    emailVerification: true,
    events: { streams: 5000, streamsPerUser: 20 },
    mfaRequiredRoles: [],
    stepUpRoles: false,
    unverifiedDays: 30,
    auditDays: 365,
    backups: { every: 0, keep: 7, folder: "data/backups", bucket: null },
    auditKeys: [SECRET],
    trashDays: 30,
    revisionsKept: 50,
    webhooks: { days: 30, allowPrivate: false },
    corsOrigins: null,
    logLevel: "info",
    smtpUrl: undefined,
    mailFrom: "Quarterdeck <no-reply@localhost>",
    trustedProxies: [],
    rateLimits: true,
    uploads: { maxBytes: 10_485_760, types: null, quota: 1_073_741_824 },
    snippets: { days: 30, quota: 10 * 1024 * 1024, origin: undefined },
    console: true,
    mcp: false,
    metricsToken: undefined,
    cacheMaxBytes: 100_663_296,
  });
});

Deno.test("config: an empty variable counts as absent", () => {
  const empty = Object.fromEntries(
    variableNames(chooseVariant({})).filter((name) => !name.endsWith("SECRET"))
      .map((name) => [name, ""]),
  );
  assert.deepEqual(load(empty), load());
  assert.match(problem({ JWT_SECRET: "" }), /JWT_SECRET: it is required/);
});

Deno.test("config: which of several names counts", () => {
  assert.equal(load({ API_URL: "/one", VITE_API_URL: "/two" }).basePath, "/one");
  assert.equal(load({ USE_MOCK: "false", VITE_USE_MOCK: "true" }).mock, false);
  assert.equal(load({ DATABASE_URL: "sqlite:a.db", DENO_KV_PATH: "b.kv" }).storeUrl, "sqlite:a.db");
  // Lifetimes of another variant have no effect.
  assert.equal(load({ JWT_EXPIRES_IN: "1h" }).lifetimes.access, 900);
  const full = { VARIANT: "full", JWT_EXPIRES_IN: "1h", REFRESH_TOKEN_EXPIRES_IN: "2h" };
  assert.deepEqual(load(full).lifetimes, { access: 3600, refresh: 7200 });
  assert.match(problem({ ...full, JWT_EXPIRES_IN: "x" }), /JWT_EXPIRES_IN: expected/);
});

Deno.test("config: secrets by variant", () => {
  assert.deepEqual(load().secrets, { access: SECRET, refresh: SECRET });
  assert.deepEqual(load({ VARIANT: "full" }).secrets, { access: SECRET, refresh: OTHER_SECRET });
  const web = { VARIANT: "web", JWT_SECRET: undefined, SESSION_SECRET: OTHER_SECRET };
  assert.deepEqual(load(web).secrets, { access: OTHER_SECRET, refresh: OTHER_SECRET });
});

const short = "x".repeat(31);
const secretRules: [name: string, env: Environment, said: RegExp][] = [
  ["short in development: accepted", { JWT_SECRET: short }, /accepted/],
  [
    "short in production",
    { JWT_SECRET: short, DENO_ENV: "production" },
    /JWT_SECRET: expected at least 32 characters, received 31\. Example: JWT_SECRET=/,
  ],
  ["short on Deno Deploy", { JWT_SECRET: short, DENO_DEPLOYMENT_ID: "a" }, /at least 32/],
  ["short in full", { VARIANT: "full", JWT_SECRET: short }, /JWT_SECRET: expected at least 32/],
  [
    "short refresh secret in full",
    { VARIANT: "full", REFRESH_TOKEN_SECRET: short },
    /REFRESH_TOKEN_SECRET: expected at least 32/,
  ],
  [
    "the same twice in full",
    { VARIANT: "full", REFRESH_TOKEN_SECRET: SECRET },
    /REFRESH_TOKEN_SECRET: it must differ from JWT_SECRET/,
  ],
  ["absent", { JWT_SECRET: undefined }, /JWT_SECRET: it is required\. Example: JWT_SECRET=/],
  [
    "absent in web",
    { VARIANT: "web", SESSION_SECRET: undefined },
    /SESSION_SECRET: it is required/,
  ],
  ["32 in production: accepted", { DENO_ENV: "production" }, /accepted/],
];

for (const [name, env, said] of secretRules) {
  Deno.test(`settings: secrets: ${name}`, () => assert.match(problem(env), said));
}

Deno.test("config: mails in production need a public address", () => {
  const env = { DENO_ENV: "production", SMTP_URL: "smtp://mail" };
  assert.match(problem(env), /PUBLIC_URL: it is required .*Example: PUBLIC_URL=https:/);
  assert.equal(problem({ ...env, PUBLIC_URL: "https://admin.example.com" }), "accepted");
  assert.equal(problem({ ...env, FRONTEND_URL: "https://app.example.com" }), "accepted");
  assert.equal(problem({ ...env, DENO_ENV: "development" }), "accepted");
});

Deno.test("durations and sizes", () => {
  const durations: [string, number | null][] = [
    ["30", 30],
    ["30s", 30],
    ["15m", 900],
    ["1 H", 3600],
    ["7d", 604_800],
    ["1w", 604_800],
    [" 5m ", 300],
    ["36500d", 3_153_600_000],
    ["36501d", null],
    ["", null],
    ["0s", null],
    ["-1m", null],
    ["1.5h", null],
    ["1y", null],
    ["m", null],
  ];
  for (const [text, seconds] of durations) assert.equal(parseDuration(text), seconds, text);
  const sizes: [string, number | null][] = [
    ["1", 1],
    ["10b", 10],
    ["1k", 1024],
    ["1KB", 1024],
    ["2 MiB", 2_097_152],
    ["1GB", 1_073_741_824],
    ["1T", 1_099_511_627_776],
    ["0", null],
    ["", null],
    ["1.5MB", null],
    ["9007199254740993TB", null],
    ["MB", null],
  ];
  for (const [text, bytes] of sizes) assert.equal(parseSize(text), bytes, text);
});

Deno.test(".env.example documents the variables there are, and no others", async () => {
  const text = await Deno.readTextFile(new URL("../../.env.example", import.meta.url));
  const documented = [...text.matchAll(/^# ([A-Z0-9_]+)=/gm)].map((match) => match[1]);
  assert.deepEqual(documented.length, new Set(documented).size);
  const known = new Set(Object.values(variants).flatMap(variableNames));
  assert.deepEqual(documented.sort(), [...known].sort());
});

Deno.test(".env.example gives the defaults", async () => {
  const text = await Deno.readTextFile(new URL("../../.env.example", import.meta.url));
  const examples: Record<string, string | undefined> = Object.fromEntries(
    [...text.matchAll(/^# ([A-Z_]+)=(.+)$/gm)].map(([, name, value]) => [name, value]),
  );
  // Examples of what has no default.
  for (
    const name of [
      "PUBLIC_URL",
      "FRONTEND_URL",
      "CORS_ORIGIN",
      "TRUSTED_PROXIES",
      "SMTP_URL",
      "SNIPPET_ORIGIN",
    ]
  ) {
    assert.ok(examples[name], name);
    assert.equal(problem({ [name]: examples[name] }), "accepted", name);
    delete examples[name];
  }
  // Whoever says who the administrator is, be it the one of the default, leaves nobody to be named.
  assert.deepEqual({ ...load(examples), setup: true }, load());
  for (const [name, value] of Object.entries(examples)) {
    assert.equal(problem({ VARIANT: "full", [name]: value }), "accepted", name);
  }
});

Deno.test("config: the API cannot be at the root where the pages are", () => {
  assert.match(problem({ VARIANT: "web", API_URL: "/" }), /API_URL: the pages are at the root/);
});

Deno.test("config: passkeys are for a domain that this server and the front end are on or below", () => {
  const PUBLIC_URL = "https://api.example.com";
  const FRONTEND_URL = "https://app.example.com";
  const PASSKEY_DOMAIN = "example.com";
  assert.equal(load({ PUBLIC_URL }).passkeyDomain, "api.example.com");
  assert.equal(load({ PUBLIC_URL, FRONTEND_URL, PASSKEY_DOMAIN }).passkeyDomain, PASSKEY_DOMAIN);
  assert.match(
    problem({ PUBLIC_URL, FRONTEND_URL, PASSKEY_DOMAIN: "api.example.com" }),
    /PASSKEY_DOMAIN: expected app\.example\.com or a domain above it, received 'api\.example\.com'/,
  );
  assert.match(problem({ PUBLIC_URL, PASSKEY_DOMAIN: "ample.com" }), /PASSKEY_DOMAIN: expected/);
});

Deno.test("config: the bound database may be named on Deno Deploy", () => {
  assert.equal(load({ DATABASE_URL: "kv:", DENO_DEPLOYMENT_ID: "a1" }).storeUrl, "kv:");
});

Deno.test("config: snippets are not served from where people sign in", () => {
  const PUBLIC_URL = "https://admin.example";
  assert.match(
    problem({ PUBLIC_URL, SNIPPET_ORIGIN: PUBLIC_URL }),
    /SNIPPET_ORIGIN: expected another origin than PUBLIC_URL/,
  );
  assert.equal(problem({ PUBLIC_URL, SNIPPET_ORIGIN: "https://snippets.example" }), "accepted");
  const refused = /SNIPPET_ORIGIN: expected another origin than PUBLIC_URL/;
  assert.match(problem({ SNIPPET_ORIGIN: "http://localhost:8000" }), refused, "the default");
  assert.match(problem({ PORT: "9000", SNIPPET_ORIGIN: "http://localhost:9000" }), refused);
  assert.match(problem({ VARIANT: "full", SNIPPET_ORIGIN: "http://localhost:3001" }), refused);
  assert.equal(problem({ SNIPPET_ORIGIN: "http://localhost:9000" }), "accepted");
});

Deno.test("settings: a bucket with its keys", () => {
  const env = {
    BACKUP_S3_URL: "https://s3.example.com/b/nightly?region=home",
    BACKUP_S3_ACCESS_KEY_ID: "key",
    BACKUP_S3_SECRET_ACCESS_KEY: "secret",
    BACKUP_S3_SESSION_TOKEN: "",
  };
  assert.deepEqual(load(env).backups.bucket, {
    url: "https://s3.example.com/b",
    name: "b",
    prefix: "nightly/",
    region: "home",
    accessKeyId: "key",
    secretAccessKey: "secret",
    sessionToken: undefined,
  });
  assert.match(
    problem({ BACKUP_S3_URL: env.BACKUP_S3_URL }),
    /BACKUP_S3_ACCESS_KEY_ID: it is required with BACKUP_S3_URL/,
  );
});
