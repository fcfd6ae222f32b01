// Accounts that nobody confirmed and nobody uses are removed; every other one stays.
import assert from "node:assert/strict";
import { auditLog } from "../../../models/audit.ts";
import { notifications } from "../../../models/notifications.ts";
import { emailLinks, sessions } from "../../../models/sessions.ts";
import { type User, users } from "../../../models/users.ts";
import { planEmailLink } from "../../../services/accounts/verification.ts";
import { openSession } from "../../../services/accounts/authentication.ts";
import { sweep } from "../../../services/sweep.ts";
import type { Store } from "../../../storage/port.ts";
import { type Harness, harness, type HarnessOptions } from "../../harness.ts";
import { interposedHarness } from "../../interposed.ts";

const DAY = 24 * 60 * 60 * 1000;
const server = { userId: null };
const EMAIL = "nobody@example.com";
/** The link lasts one day, and UNVERIFIED_DAYS is 30. */
const OVER = 31 * DAY + 1;

/** An account as it is after a registration. */
async function registered(store: Store): Promise<User> {
  return await store.transact(server, async (tx) => {
    const user = tx.insert(users, {
      name: "Nobody",
      email: EMAIL,
      passwordHash: "none",
      role: "user",
      permissions: [],
      status: "active",
      unverifiedSince: tx.now,
    });
    await planEmailLink(tx, user, "verify");
    return user;
  });
}

/** Signs in, as whoever knows the password does. */
async function signIn(h: Harness, id: string): Promise<string> {
  const user = await h.store.from(users).get(id);
  const visitor = {
    services: h.app.services,
    actor: server,
    ip: "127.0.0.1",
    userAgent: undefined,
    device: undefined,
  };
  const opened = await openSession(visitor, user!);
  assert.ok("pair" in opened);
  return opened.pair.accessToken;
}

async function change(h: Harness, id: string, patch: Partial<User>): Promise<void> {
  await h.store.transact(server, async (tx) => {
    tx.update(users, (await tx.from(users).get(id))!, patch);
  });
}

interface Case extends HarnessOptions {
  readonly name: string;
  /** Milliseconds between the registration and the sweep. @default a little over 31 days */
  readonly after?: number;
  arrange?(h: Harness, user: User): Promise<unknown>;
  readonly stays: boolean;
}

const PRODUCTION = { DENO_ENV: "production", PUBLIC_URL: "https://admin.example.com" };

const CASES: readonly Case[] = [
  { name: "one that nobody has used since", stays: false },
  { name: "one whose days are not over", after: OVER - 1000, stays: true },
  {
    name: "one that signed in when it registered",
    arrange: (h, { id }) => signIn(h, id),
    stays: false,
  },
  {
    name: "one that signed in within the days",
    async arrange(h, { id }) {
      h.clock.advance(2 * DAY);
      await signIn(h, id);
    },
    after: 29 * DAY + 1,
    stays: true,
  },
  {
    name: "one that is signed in still",
    env: { JWT_REFRESH_EXPIRES: "60d" },
    arrange: (h, { id }) => signIn(h, id),
    stays: true,
  },
  {
    name: "one that asked for another link",
    async arrange(h, { id }) {
      h.clock.advance(DAY);
      await h.store.transact(server, async (tx) => {
        await planEmailLink(tx, (await tx.from(users).get(id))!, "verify");
      });
    },
    after: 30 * DAY + 1000,
    stays: true,
  },
  {
    name: "one that is proven",
    arrange: (h, { id }) => change(h, id, { unverifiedSince: undefined }),
    stays: true,
  },
  {
    name: "one that an administrator has suspended",
    arrange: (h, { id }) => change(h, id, { status: "suspended" }),
    stays: true,
  },
  {
    name: "one that owns something",
    async arrange(h, { id }) {
      await change(h, id, { permissions: ["documents:create"] });
      const body = { title: "Kept", content: "" };
      const reply = await h.ask("POST", "/api/documents", { token: await signIn(h, id), body });
      assert.equal(reply.status, 201);
    },
    stays: true,
  },
  { name: "none where UNVERIFIED_DAYS=0", env: { UNVERIFIED_DAYS: "0" }, stays: true },
  { name: "none where nobody has to", env: { EMAIL_VERIFICATION: "off" }, stays: true },
  { name: "none where no mail goes out", env: PRODUCTION, stays: true },
];

for (const { name, arrange, after = OVER, stays, ...options } of CASES) {
  Deno.test(`unverified accounts: ${stays ? "stays" : "goes"}: ${name}`, async () => {
    await using h = await harness(options);
    const user = await registered(h.store);
    await arrange?.(h, user);
    h.clock.advance(after);
    await sweep(h.app.services, h.clock.now());
    assert.equal(await h.store.from(users).get(user.id) !== null, stays);
    assert.equal(await h.store.from(users).count(), stays ? 6 : 5, "the others stay");
    if (stays) return;
    assert.equal(await h.store.from(emailLinks).count(), 0);
    assert.equal(await h.store.from(sessions).count({ userId: user.id }), 0);
    const { rows } = await h.store.from(auditLog).list({ where: { targetId: user.id } });
    assert.equal(rows[0]!.action, "remove");
    assert.equal(rows[0]!.actorId, undefined, "by the server");
    await registered(h.store);
  });
}

Deno.test("unverified accounts: one that is signed in to or proven between look and commit stays", async () => {
  const changes = [
    (h: Harness, id: string) => signIn(h, id),
    (h: Harness, id: string) => change(h, id, { unverifiedSince: undefined }),
  ];
  for (const meanwhile of changes) {
    await using h = await interposedHarness();
    const { store } = h;
    const { id } = await registered(store);
    h.clock.advance(OVER);
    store.beforeCommit = async (planned) => {
      if (!planned.some(({ collection, kind }) => collection === "users" && kind === "remove")) {
        return;
      }
      store.beforeCommit = null;
      await meanwhile(h, id);
    };
    await sweep(h.app.services, h.clock.now());
    assert.equal(store.beforeCommit, null, "it was to be removed");
    assert.notEqual(await store.from(users).get(id), null);
  }
});

Deno.test("unverified accounts: one to which more refers than a commit takes goes too", async () => {
  await using h = await harness();
  const { id: userId } = await registered(h.store);
  await h.store.transact(server, (tx) => {
    for (let n = 0; n < 250; n++) {
      tx.insert(notifications, { userId, type: "system", title: `${n}`, content: "", read: false });
    }
  });
  h.clock.advance(OVER);
  await sweep(h.app.services, h.clock.now());
  assert.equal(await h.store.from(users).get(userId), null);
  assert.equal(await h.store.from(notifications).count({ userId }), 0);
});
