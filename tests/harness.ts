// The application in process, on a real store in memory, with accounts to act as. Only the clock and the mailer are replaced.
import assert from "node:assert/strict";
import { type App, createApp, loadMetrics } from "../app.ts";
import { type Config, type Environment, loadConfig } from "../config.ts";
import type { Endpoint } from "../endpoint.ts";
import { fullPath } from "../mount.ts";
import { type User, users } from "../models/users.ts";
import { seedRoles } from "../services/first_start.ts";
import type { BackgroundMailer, Mail } from "../services/mailer.ts";
import { hashPassword } from "../services/passwords.ts";
import { signIn } from "../services/sessions.ts";
import type { Store } from "../store.ts";
import { openOnEngine } from "./engine.ts";

export const PASSWORD = "correct horse battery";

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
  readonly now = (): Date => new Date(this.#now);
  /** @param milliseconds Forward. */
  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }
}

export interface Ask {
  readonly as?: Account | null;
  /** A token instead of an account's. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a string, FormData or bytes as they are. */
  readonly body?: unknown;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // deno-lint-ignore no-explicit-any -- tests look into whatever came
  readonly body: any;
  /** `body.data` */
  // deno-lint-ignore no-explicit-any -- as above
  readonly data: any;
}

export interface Harness extends AsyncDisposable {
  readonly app: App;
  readonly store: Store;
  readonly config: Config;
  readonly clock: TestClock;
  /** What was mailed, oldest first. */
  readonly mails: Mail[];
  readonly accounts: Readonly<Record<Account, User>>;
  readonly tokens: Readonly<Record<Account, string>>;
  /** Sends a request; a JSON answer is held to the declared public schema of its endpoint. */
  ask(method: string, path: string, ask?: Ask): Promise<Reply>;
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

let hash: Promise<string> | undefined;

export async function harness(options: HarnessOptions = {}): Promise<Harness> {
  const config = loadConfig({
    VARIANT: options.variant ?? "compact",
    JWT_SECRET: "an access secret for tests, long enough",
    REFRESH_TOKEN_SECRET: "a refresh secret for tests, long enough",
    SESSION_SECRET: "a session secret for tests, long enough",
    LOG_LEVEL: "fatal",
    ...options.env,
  });
  const clock = new TestClock();
  const store = await (options.open ?? openOnEngine)(clock.now);
  await seedRoles(store, config.variant);
  const accounts = await createAccounts(store);
  const mails: Mail[] = [];
  const mailer = recordingMailer(mails);
  const metrics = await loadMetrics(config.variant);
  const app = createApp({ store, config, mailer, clock: clock.now, metrics });
  const tokens = await signInAll(app, accounts);

  async function ask(method: string, path: string, { as, token, headers, body }: Ask = {}) {
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
    const response = await app.fetch(request);
    const reply = await read(response);
    await mailer.idle();
    if (response.ok) assertDeclared(app, config, method, path, reply);
    assert.notEqual(response.status, 500, `500 from ${method} ${path}: ${reply.text}`);
    return reply;
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
    config,
    clock,
    mails,
    accounts,
    tokens,
    ask,
    grant,
    [Symbol.asyncDispose]: () => store.close(),
  };
}

function isJson(body: unknown): boolean {
  return body !== undefined && typeof body !== "string" && !(body instanceof FormData) &&
    !(body instanceof Uint8Array) && !(body instanceof ReadableStream);
}

async function read(response: Response): Promise<Reply> {
  const text = await response.text();
  const json = response.headers.get("content-type")?.startsWith("application/json");
  const body = json && text !== "" ? JSON.parse(text) : undefined;
  return { status: response.status, headers: response.headers, text, body, data: body?.data };
}

async function createAccounts(store: Store): Promise<Record<Account, User>> {
  hash ??= hashPassword(PASSWORD);
  const passwordHash = await hash;
  return await store.transact({ userId: null }, (tx) => {
    const created = Object.entries(ROLES).map(([account, role]) => {
      const user = tx.insert(users, {
        name: `${account[0]!.toUpperCase()}${account.slice(1)} Person`,
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
  return {
    inBackground(prepare) {
      const run = Promise.resolve().then(prepare).then((mail) => {
        if (mail) mails.push(mail);
      }).finally(() => running.delete(run));
      running.add(run);
    },
    async idle() {
      await Promise.all(running);
    },
    close: () => Promise.resolve(),
  };
}

/** Nothing leaves the server that the endpoint does not declare. */
function assertDeclared(
  app: App,
  config: Config,
  method: string,
  path: string,
  reply: Reply,
): void {
  const endpoint = endpointAt(app, config, method, new URL(path, "http://localhost").pathname);
  if (!endpoint?.data || reply.data === undefined || endpoint.raw) return;
  assert.deepEqual(
    endpoint.data.parse(reply.data),
    reply.data,
    `undeclared data from ${method} ${path}`,
  );
}

/** The endpoint that serves a path: literal segments first, as the server does. */
function endpointAt(app: App, config: Config, method: string, path: string): Endpoint | undefined {
  const wanted = method.toLowerCase() === "patch" ? "put" : method.toLowerCase();
  const matching = app.endpoints.filter((endpoint) => {
    const pattern = fullPath(endpoint, config.basePath).replaceAll(/\{\w+\}/g, "[^/]+");
    return endpoint.method === wanted && new RegExp(`^${pattern}$`).test(path);
  });
  const parameters = (endpoint: Endpoint) => endpoint.path.split("{").length;
  return matching.sort((a, b) => parameters(a) - parameters(b))[0];
}
