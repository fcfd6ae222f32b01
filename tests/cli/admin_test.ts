// Accounts from the command line: in process on two engines, and as a process of its own.
import assert from "node:assert/strict";
import { join } from "node:path";
import { runAdmin } from "../../cli/admin.ts";
import { CommandError } from "../../cli/subcommands.ts";
import { auditLog } from "../../models/audit.ts";
import { secondFactors, signInChallenges } from "../../models/second_factors.ts";
import { passwordResets, sessions } from "../../models/sessions.ts";
import { type User, users } from "../../models/users.ts";
import { openStore } from "../../storage/open.ts";
import { planPasswordReset, verifyCredentials } from "../../services/accounts/accounts.ts";
import { planChallenge } from "../../services/accounts/challenges.ts";
import { signIn } from "../../services/accounts/sessions.ts";
import { createTokens } from "../../services/accounts/tokens.ts";
import type { JournalEntry, Store } from "../../storage/port.ts";
import { permissionsFor } from "../start_task.ts";
import { variants } from "../../config/variants.ts";

const server = { userId: null };
const EMAIL = "root@example.com";
const PASSWORD = "correct horse battery";

interface Desk {
  readonly store: Store;
  /** Runs a command; the lines it printed. */
  admin(...args: string[]): Promise<string[]>;
}

async function withStore(url: string, test: (desk: Desk) => Promise<void>) {
  const store = await openStore({ url });
  try {
    await test({
      store,
      async admin(...args) {
        const lines: string[] = [];
        const print = (line: string) => void lines.push(line);
        await runAdmin(args, () => Promise.resolve({ store, variant: variants.compact!, print }));
        return lines;
      },
    });
  } finally {
    await store.close();
  }
}

async function find(store: Store, email: string): Promise<User> {
  const user = await store.from(users).findBy("email", email);
  assert.ok(user, email);
  return user;
}

for (const url of ["kv::memory:", "sqlite::memory:"]) {
  const engine = url.split(":")[0];

  Deno.test(`admin on ${engine}: creates an account that signs in`, () =>
    withStore(url, async ({ store, admin }) => {
      const [line = ""] = await admin("create", "--email", "Root@Example.com", "--role", "admin");
      const password = /its password is (\S+) \(shown once\)/.exec(line)?.[1] ?? "";
      assert.match(line, /^Created root@example\.com with the role admin;/);
      const user = await verifyCredentials(store, EMAIL, password);
      assert.equal(user?.name, "root");
      assert.equal(user?.role, "admin");

      const args = ["--email", "ada@example.com", "--name", "Ada", "--password", PASSWORD];
      assert.deepEqual(await admin("create", ...args), [
        "Created ada@example.com with the role user",
      ]);
      assert.equal((await verifyCredentials(store, "ada@example.com", PASSWORD))?.name, "Ada");
      const { rows } = await store.from(auditLog).list();
      assert.ok(rows.some((row) => row.targetName === "Ada" && row.actorId === undefined));
    }));

  Deno.test(`admin on ${engine}: removes second factors, and sign-ins that wait for them`, () =>
    withStore(url, async ({ store, admin }) => {
      await admin("create", "--email", EMAIL, "--password", PASSWORD);
      const user = await find(store, EMAIL);
      assert.deepEqual(await admin("reset-mfa", "--email", EMAIL), [
        `${EMAIL} has no second factor: nothing was changed`,
      ]);
      await store.transact(server, async (tx) => {
        tx.insert(secondFactors, { userId: user.id, totp: "sealed", recoveryCodes: [] });
        await planChallenge(tx, user, "password");
      });
      const tokens = createTokens({
        secrets: { access: "a".repeat(32), refresh: "b".repeat(32) },
        lifetimes: { access: 60, refresh: 600 },
        clock: () => new Date(),
      });
      const proof = { method: "password", secondFactor: true } as const;
      const { session } = await signIn(store, tokens, user, {}, proof);
      assert.deepEqual(await admin("reset-mfa", "--email", EMAIL), [
        `Removed the second factors of ${EMAIL}: the password alone signs in`,
      ]);
      assert.equal(await store.from(secondFactors).count({}), 0);
      assert.equal(await store.from(signInChallenges).count({}), 0);
      assert.equal((await store.from(sessions).get(session.id))?.secondFactor, false);
      await assert.rejects(admin("reset-mfa", "--email", "nobody@example.com"), CommandError);
    }));

  Deno.test(`admin on ${engine}: lists accounts`, () =>
    withStore(url, async ({ store, admin }) => {
      assert.deepEqual(await admin("list"), ["E-MAIL  NAME  ROLE  STATUS  LAST SIGN-IN"]);
      await admin("create", "--email", "eve@example.com", "--password", PASSWORD);
      await store.transact(server, async (tx) => {
        const eve = await tx.from(users).findBy("email", "eve@example.com");
        tx.update(users, eve!, { name: "Eve\u001b[31m\nEvil", status: "suspended" });
      });
      await admin("create", "--email", EMAIL, "--role", "super_admin", "--password", PASSWORD);
      assert.deepEqual(await admin("list"), [
        "E-MAIL            NAME           ROLE         STATUS     LAST SIGN-IN",
        "eve@example.com   Eve [31m Evil  user         suspended  never",
        "root@example.com  root           super_admin  active     never",
      ]);
    }));

  Deno.test(`admin on ${engine}: a reset password ends sessions and links in the same commit`, () =>
    withStore(url, async ({ store, admin }) => {
      await admin("create", "--email", EMAIL, "--password", PASSWORD);
      await admin("create", "--email", "ada@example.com", "--password", PASSWORD);
      const [root, ada] = [await find(store, EMAIL), await find(store, "ada@example.com")];
      const clock = () => new Date();
      const secrets = { access: "a".repeat(32), refresh: "b".repeat(32) };
      const tokens = createTokens({ secrets, lifetimes: { access: 900, refresh: 9000 }, clock });
      for (const user of [root, root, ada]) await signIn(store, tokens, user, {});
      await store.transact(server, (tx) => planPasswordReset(tx, root));

      const changes = store.changes()[Symbol.asyncIterator]();
      const next = changes.next();
      const [line = ""] = await admin("reset-password", "--email", "ROOT@example.com");
      const entry: JournalEntry = (await next).value;
      await changes.return?.();
      assert.deepEqual(
        entry.changes.filter(({ collection }) => collection !== auditLog.name)
          .map(({ collection, op }) => `${op} ${collection}`).sort(),
        ["remove passwordResets", "remove sessions", "remove sessions", "update users"],
      );

      const password = /its password is (\S+) /.exec(line)?.[1] ?? "";
      assert.equal(await verifyCredentials(store, EMAIL, PASSWORD), null);
      assert.equal((await verifyCredentials(store, EMAIL, password))?.id, root.id);
      assert.equal(await store.from(sessions).count({ userId: root.id }), 0);
      assert.equal(await store.from(sessions).count({ userId: ada.id }), 1);
      assert.equal(await store.from(passwordResets).count(), 0);
    }));

  Deno.test(`admin on ${engine}: says so when the account cannot sign in anyway`, () =>
    withStore(url, async ({ store, admin }) => {
      await admin("create", "--email", EMAIL, "--password", PASSWORD);
      await store.transact(server, async (tx) => {
        const user = await tx.from(users).findBy("email", EMAIL);
        tx.update(users, user!, { status: "inactive" });
      });
      assert.deepEqual(await admin("reset-password", "--email", EMAIL, "--password", PASSWORD), [
        `Reset the password of ${EMAIL} and ended its sessions`,
        "The account is inactive: it cannot sign in",
      ]);
    }));
}

const refused: [args: string[], message: RegExp][] = [
  [[], /^Usage:/],
  [["destroy"], /^Usage:/],
  [["constructor"], /^Usage:/],
  [["list", "users"], /^Usage:/],
  [["list", "--all"], /'--all'[\s\S]*Usage:/],
  [["create"], /--email is missing[\s\S]*Usage:/],
  [["create", "--email", "root"], /--email: 'root' is no e-mail address/],
  [["create", "--email", "a@b.co", "--name", " "], /--name: expected 1 to 200 characters/],
  [["create", "--email", "a@b.co", "--role", "boss"], /no role 'boss'/],
  [["create", "--email", "a@b.co", "--password", "123456"], /--password: .*most common/],
  [["create", "--email", "a@b.co", "--password", "abc"], /--password: .*6 characters/],
  [["create", "--email", EMAIL], /there is such an account already/],
  [["reset-password"], /--email is missing/],
  [["reset-password", "--email", "nobody@example.com"], /no such account/],
  [["reset-password", "--email", EMAIL, "--password", "password"], /most common/],
];

Deno.test("admin: refuses what it cannot do, and changes nothing", () =>
  withStore("kv::memory:", async ({ store, admin }) => {
    await admin("create", "--email", EMAIL, "--password", PASSWORD);
    const before = await find(store, EMAIL);
    for (const [args, message] of refused) {
      await assert.rejects(admin(...args), (error) => {
        assert.ok(error instanceof CommandError, String(error));
        assert.match(error.message, message, args.join(" "));
        return true;
      });
    }
    assert.deepEqual(await find(store, EMAIL), before);
    assert.equal(await store.from(users).count(), 1);
  }));

/** The command with the permissions of `deno task admin`. */
async function adminProcess(folder: string, ...args: string[]) {
  const path = (name: string) => new URL(`../../${name}`, import.meta.url).pathname;
  const env = { VARIANT: "compact", DATABASE_URL: "", DENO_KV_PATH: "q.kv", JWT_SECRET: "" };
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--quiet",
      "--config",
      path("deno.json"),
      ...permissionsFor(env, folder),
      path("cli/admin.ts"),
      ...args,
    ],
    cwd: folder,
    env,
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trimEnd();
  return { code, out: text(stdout), err: text(stderr) };
}

Deno.test("admin: as a process, on a store that is free, and on one that is in use", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const missing = await adminProcess(folder, "list");
    assert.deepEqual([missing.code, missing.out], [1, ""]);
    assert.match(missing.err, /^Cannot read the store: there is no file q\.kv$/);
    assert.deepEqual([...Deno.readDirSync(folder)], []);
    const created = await adminProcess(folder, "create", "--email", EMAIL, "--password", PASSWORD);
    assert.deepEqual(created, {
      code: 0,
      out: "Created root@example.com with the role user",
      err: "",
    });
    const store = await openStore({ url: `kv:${join(folder, "q.kv")}` });
    assert.ok(await verifyCredentials(store, EMAIL, PASSWORD));
    const locked = await adminProcess(folder, "list");
    await store.close();
    assert.equal(locked.code, 1);
    assert.match(locked.err, /^Cannot open q\.kv: .*\nIs the server running\? Stop it first$/);
    assert.equal(locked.out, "");

    const listed = await adminProcess(folder, "list");
    assert.match(listed.out, /^E-MAIL .*\nroot@example\.com /);
    const unknown = await adminProcess(folder, "lst");
    assert.equal(unknown.code, 2);
    assert.match(unknown.err, /^Usage:/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
