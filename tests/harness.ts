// The application in process, on a real store in memory, with accounts to act as. Only the clock and the mailer are
// replaced, and passwords hashed at less cost.
import assert from "node:assert/strict";
import { type App, createApp, loadMcp, loadMetrics } from "../app.ts";
import type { Environment } from "../config/environment.ts";
import { reportSettings } from "../config/report.ts";
import { parseSettings, type Settings } from "../config/settings.ts";
import { type User, users } from "../models/users.ts";
import { seedRoles } from "../services/accounts/first_start.ts";
import type { BackgroundMailer, Mail } from "../services/messaging/mailer.ts";
import { COST, hashPassword } from "../services/accounts/passwords.ts";
import { signIn } from "../services/accounts/sessions.ts";
import { type Store, StoreUnavailable } from "../storage/port.ts";
import { assertRefusal, assertSuccess, type Reply } from "./answers.ts";
import { backupPlace } from "./backup_place.ts";
import { openOnEngine } from "./engine.ts";
import { openTestStore } from "./storage/open.ts";

export const PASSWORD = "correct horse battery";

/** A provider that the settings name; nothing is asked of it unless a test begins a sign-in. */
export const PROVIDER = {
  name: "company",
  label: "The company",
  issuer: "https://id.example.com",
  clientId: "quarterdeck",
};

/** Accounts of every harness. `other` has the role of `user` and owns nothing of theirs. */
export type Account = "super" | "admin" | "user" | "other" | "guest";

const ROLES: Readonly<Record<Account, string>> = {
  super: "super_admin",
  admin: "admin",
  user: "user",
  other: "user",
  guest: "guest",
};

/** A clock that tests move. */
export class TestClock {
  #now: number;
  /** @param start ISO 8601. */
  constructor(start = "2026-11-21T10:00:00.000Z") {
    this.#now = Date.parse(start);
  }
  #elapsed = 0;
  readonly now = (): Date => new Date(this.#now);
  /** Milliseconds, monotonic. */
  readonly elapsed = (): number => this.#elapsed;
  /** @param milliseconds Forward. */
  advance(milliseconds: number): void {
    this.#now += milliseconds;
    this.#elapsed += milliseconds;
  }
  /** Sets the time of day back; nothing takes longer by it. @param milliseconds Backward. */
  stepBack(milliseconds: number): void {
    this.#now -= milliseconds;
  }
}

export interface Ask {
  readonly as?: Account | null;
  /** A token instead of an account's. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The address that the connection comes from. @default 127.0.0.1 */
  readonly from?: string;
  /** Sent as JSON; a string, FormData or bytes as they are. */
  readonly body?: unknown;
}

export type { Reply };

export interface Harness extends AsyncDisposable {
  readonly app: App;
  readonly store: Store;
  readonly settings: Settings;
  readonly clock: TestClock;
  /** What was mailed, oldest first. */
  readonly mails: Mail[];
  readonly accounts: Readonly<Record<Account, User>>;
  readonly tokens: Readonly<Record<Account, string>>;
  /** Sends a request; a JSON answer is held to the declared public schema of its endpoint. */
  ask(method: string, path: string, ask?: Ask): Promise<Reply>;
  /** The token of the link in the newest mail to an address. */
  mailedToken(to: string): string;
  /** Gives an account further permissions of its own. */
  grant(account: Account, ...permissions: string[]): Promise<void>;
}

export interface HarnessOptions {
  /** @default "compact" */
  readonly variant?: string;
  readonly env?: Environment;
  /** Opens the store. @default in memory */
  readonly open?: (clock: () => Date) => Promise<Store>;
}

const FULL_COST = { ...COST };

// What a password costs is tested where it is hashed.
Object.assign(COST, { memory: 64, passes: 1 });

/** For the tests of a file that have something happen while a password is hashed: call it where the file begins. */
export function hashAtFullCost(): void {
  Object.assign(COST, FULL_COST);
}

let hash: Promise<string> | undefined;

export async function harness(options: HarnessOptions = {}): Promise<Harness> {
  const place = backupPlace();
  const own = {
    VARIANT: options.variant ?? "compact",
    JWT_SECRET: "an access secret for tests, long enough",
    REFRESH_TOKEN_SECRET: "a refresh secret for tests, long enough",
    SESSION_SECRET: "a session secret for tests, long enough",
    LOG_LEVEL: "fatal",
    OIDC_PROVIDERS: JSON.stringify([PROVIDER]),
    ...options.env,
  };
  const env = { ...place.env, ...own };
  const settings = parseSettings(env);
  const clock = new TestClock();
  const store = await (options.open ?? openOnEngine)(clock.now);
  await seedRoles(store, settings.variant);
  const accounts = await createAccounts(store);
  const mails: Mail[] = [];
  const mailer = recordingMailer(mails);
  const metrics = await loadMetrics(settings.variant);
  const app = createApp({
    store,
    settings,
    variables: reportSettings(env, settings, () => "environment"),
    mailer,
    clock: clock.now,
    elapsed: clock.elapsed,
    metrics,
    mcp: await loadMcp(settings),
  });
  const tokens = await signInAll(app, accounts);
  const twin = () => twinOf(JSON.stringify(own), settings);

  async function ask(method: string, path: string, { as, token, headers, from, body }: Ask = {}) {
    if (method === "GET" && as && !token && !from) await (await twin()).read(path, as);
    const credential = token ?? (as ? tokens[as] : undefined);
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: {
        ...(credential ? { authorization: `Bearer ${credential}` } : {}),
        ...(isJson(body) ? { "content-type": "application/json" } : {}),
        ...headers,
      },
      body: isJson(body) ? JSON.stringify(body) : body as BodyInit | undefined,
      redirect: "manual",
    });
    const info = { remoteAddr: { transport: "tcp", hostname: from ?? "127.0.0.1", port: 1 } };
    const response = await app.fetch(request, info);
    const reply = await read(response);
    await mailer.idle();
    if (response.status >= 400) assertRefusal(app, settings, request, path, reply);
    else assertSuccess(app, settings, request, path, reply);
    assert.notEqual(response.status, 500, `500 from ${method} ${path}: ${reply.text}`);
    assert.equal(reply.text.includes(TWIN), false, `another store's answer from ${path}`);
    return reply;
  }

  function mailedToken(to: string): string {
    const mail = mails.findLast((mail) => mail.to === to);
    return /token=([\w-]+)/.exec(mail?.text ?? "")?.[1] ?? assert.fail(`no link mailed to ${to}`);
  }

  async function grant(account: Account, ...permissions: string[]) {
    await store.transact({ userId: null }, async (tx) => {
      const user = await tx.from(users).get(accounts[account].id);
      tx.update(users, user!, { permissions: [...user!.permissions, ...permissions] });
    });
  }

  return {
    app,
    store,
    settings,
    clock,
    mails,
    accounts,
    tokens,
    ask,
    mailedToken,
    grant,
    async [Symbol.asyncDispose]() {
      app.services.events.close();
      app.services.backups.close();
      await app.services.backups.idle();
      await mailer.idle();
      await store.close();
      await place.remove();
    },
  };
}

/** In the name of everyone in the twin. */
const TWIN = "Twin of";

/**
 * A second application on a second store in the process, set up alike, with other names. It is asked what the first
 * is asked, so that whatever remembers beyond its store gives itself away.
 */
interface Twin {
  read(path: string, as: Account): Promise<void>;
  close(): Promise<void>;
}

/** The twins of the tests of a file, by their settings. Nothing is written to them, and their clock stands still. */
const twins = new Map<string, Promise<Twin>>();

Deno.test.afterAll(async () => {
  for (const twin of twins.values()) await (await twin).close();
  twins.clear();
});

/** How many twins are open at most: where each test has settings of its own, the first are needed no more. */
const MAX_TWINS = 8;

/** Opened when it is first needed. @param key Tells its settings from others. */
async function twinOf(key: string, settings: Settings): Promise<Twin> {
  const known = twins.get(key);
  if (known) return await known;
  const opening = openTwin(settings);
  twins.set(key, opening);
  const [first] = twins;
  if (first && twins.size > MAX_TWINS) {
    twins.delete(first[0]);
    await (await first[1]).close();
  }
  return await opening;
}

async function openTwin(settings: Settings): Promise<Twin> {
  const clock = new TestClock();
  const store = await openTestStore({ clock: clock.now });
  await seedRoles(store, settings.variant);
  const accounts = await createAccounts(store, `${TWIN} `);
  const app = createApp({
    store,
    settings: { ...settings, rateLimits: false },
    mailer: recordingMailer([]),
    clock: clock.now,
    elapsed: clock.elapsed,
  });
  const tokens = await signInAll(app, accounts);
  return {
    async read(path, as) {
      const headers = { authorization: `Bearer ${tokens[as]}` };
      const response = await app.fetch(new Request(`http://localhost${path}`, { headers }));
      await response.body?.cancel();
    },
    close: () => store.close(),
  };
}

function isJson(body: unknown): boolean {
  return body !== undefined && typeof body !== "string" && !(body instanceof FormData) &&
    !(body instanceof Uint8Array) && !(body instanceof Blob) && !(body instanceof ReadableStream);
}

async function read(response: Response): Promise<Reply> {
  const text = await textOf(response);
  const json = response.headers.get("content-type")?.startsWith("application/json");
  const body = json && text !== "" ? JSON.parse(text) : undefined;
  return { status: response.status, headers: response.headers, text, body, data: body?.data };
}

/** The whole body; of a stream of events, which has no end, how it begins. */
async function textOf(response: Response): Promise<string> {
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
  if (!isStream || response.body === null) return await response.text();
  const reader = response.body.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return new TextDecoder().decode(value);
}

async function createAccounts(store: Store, prefix = ""): Promise<Record<Account, User>> {
  hash ??= hashPassword(PASSWORD);
  const passwordHash = await hash;
  return await store.transact({ userId: null }, (tx) => {
    const created = Object.entries(ROLES).map(([account, role]) => {
      const user = tx.insert(users, {
        name: `${prefix}${account[0]!.toUpperCase()}${account.slice(1)} Person`,
        email: `${account}@example.com`,
        passwordHash,
        role,
        permissions: [],
        status: "active",
      });
      return [account, user] as const;
    });
    return Object.fromEntries(created) as Record<Account, User>;
  });
}

async function signInAll(
  app: App,
  accounts: Record<Account, User>,
): Promise<Record<Account, string>> {
  const { store, tokens } = app.services;
  const signedIn = Object.entries(accounts).map(async ([account, user]) => {
    const { accessToken } = await signIn(store, tokens, user, { ip: "127.0.0.1" });
    return [account, accessToken] as const;
  });
  return Object.fromEntries(await Promise.all(signedIn)) as Record<Account, string>;
}

/** Remembers mails instead of sending them. */
function recordingMailer(mails: Mail[]): BackgroundMailer {
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  return {
    state: () => ({
      urgent: running.size,
      notices: 0,
      sent: mails.length,
      failed: failures.length,
    }),
    inBackground(prepare) {
      const run = Promise.resolve().then(prepare).then((mail) => {
        if (mail) mails.push(mail);
      }).catch((error) => {
        // The store of a test may be taken away on purpose: the mailer of the server logs that and goes on.
        if (!(error instanceof StoreUnavailable)) failures.push(error);
      }).finally(() => running.delete(run));
      running.add(run);
    },
    async idle() {
      await Promise.all(running);
      if (failures.length > 0) throw failures.shift();
    },
    close: () => Promise.resolve(),
  };
}
