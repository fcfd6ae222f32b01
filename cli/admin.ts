// Accounts from the command line: `deno task admin`. A store that the server locks can be used once it is stopped.
import { answerHelp, print, tableOf } from "../core/command_line.ts";
import { users } from "../models/users.ts";
import { emailAddress, label } from "../models/requests.ts";
import { DEFAULT_ROLE, roles } from "../models/roles.ts";
import { planPasswordChange } from "../services/accounts/accounts.ts";
import { planRemoval } from "../services/accounts/second_factors.ts";
import { endGivenFactors } from "../services/accounts/sessions.ts";
import { seedRoles } from "../services/accounts/first_start.ts";
import { singleLine } from "../services/messaging/mailer.ts";
import {
  checkNewPassword,
  generatePassword,
  hashPassword,
} from "../services/accounts/passwords.ts";
import { type Store, UniqueConflict } from "../storage/port.ts";
import type { Variant } from "../config/variants.ts";
import { CommandError, runOnStore, subcommandIn } from "./subcommands.ts";

const USAGE = `Usage:
  deno task admin list
  deno task admin create --email ADDRESS [--name NAME] [--role ROLE] [--password PASSWORD]
  deno task admin reset-password --email ADDRESS [--password PASSWORD]
  deno task admin reset-mfa --email ADDRESS

Without --role the account has the role "user". Without --password one is generated and shown once.`;

const NAMES = ["email", "name", "role", "password"] as const;

type Options = { readonly [K in typeof NAMES[number]]?: string };

export interface Context {
  readonly store: Store;
  readonly variant: Variant;
  /** Writes a line. */
  readonly print: (line: string) => void;
}

const server = { userId: null };

const commands: Readonly<Record<string, (context: Context, options: Options) => Promise<void>>> = {
  list,
  create,
  "reset-password": resetPassword,
  "reset-mfa": resetSecondFactors,
};

/**
 * Does what the arguments say.
 *
 * @param open Called when the arguments are understood; told whether the command may make a store that is not there.
 * @throws {CommandError}
 */
export async function runAdmin(
  args: readonly string[],
  open: (mayMake: boolean) => Promise<Context>,
): Promise<void> {
  const { command, options } = subcommandIn(args, { commands, names: NAMES, usage: USAGE });
  const context = await open(command === create);
  await command(context, options);
}

async function list({ store, print }: Context): Promise<void> {
  const rows = [["E-MAIL", "NAME", "ROLE", "STATUS", "LAST SIGN-IN"]];
  for await (const user of store.from(users).scan()) {
    const { email, name, role, status, lastLoginAt = "never" } = user;
    rows.push([email, name, role, status, lastLoginAt].map(singleLine));
  }
  for (const line of tableOf(rows)) print(line);
}

async function create({ store, variant, print }: Context, options: Options): Promise<void> {
  const email = readEmail(options);
  const name = options.name === undefined ? email.split("@")[0]! : readName(options.name);
  const role = options.role ?? DEFAULT_ROLE;
  await seedRoles(store, variant);
  if (!await store.from(roles).findBy("name", role)) {
    throw new CommandError(`Cannot create ${email}: there is no role '${role}'`);
  }
  const { passwordHash, told } = await choosePassword(options);
  try {
    await store.transact(server, (tx) => {
      tx.insert(users, { name, email, passwordHash, role, permissions: [], status: "active" });
    });
  } catch (error) {
    if (!(error instanceof UniqueConflict)) throw error;
    throw new CommandError(`Cannot create ${email}: there is such an account already`);
  }
  print(`Created ${email} with the role ${role}${told}`);
}

async function resetPassword({ store, print }: Context, options: Options): Promise<void> {
  const email = readEmail(options);
  const { passwordHash, told } = await choosePassword(options);
  const user = await store.transact(server, async (tx) => {
    const user = await tx.from(users).findBy("email", email);
    // Whoever may run this vouches for the account, as an administrator does who sets a password.
    if (user) await planPasswordChange(tx, user, passwordHash, { proven: true });
    return user;
  });
  if (!user) throw new CommandError(`Cannot reset the password of ${email}: no such account`);
  print(`Reset the password of ${email} and ended its sessions${told}`);
  if (user.status !== "active") print(`The account is ${user.status}: it cannot sign in`);
}

async function resetSecondFactors({ store, print }: Context, options: Options): Promise<void> {
  const email = readEmail(options);
  const removed = await store.transact(server, async (tx) => {
    const user = await tx.from(users).findBy("email", email);
    if (!user) return null;
    await endGivenFactors(tx, user.id);
    return await planRemoval(tx, user.id);
  });
  if (removed === null) {
    throw new CommandError(`Cannot reset the second factors of ${email}: no such account`);
  }
  print(
    removed
      ? `Removed the second factors of ${email}: the password alone signs in`
      : `${email} has no second factor: nothing was changed`,
  );
}

function readEmail({ email }: Options): string {
  if (email === undefined) throw new CommandError(`--email is missing\n\n${USAGE}`);
  const { data, success } = emailAddress.safeParse(email);
  if (!success) throw new CommandError(`--email: '${email}' is no e-mail address`);
  return data;
}

function readName(name: string): string {
  const { data, success } = label.safeParse(name);
  if (!success) throw new CommandError("--name: expected 1 to 200 characters");
  return data;
}

async function choosePassword({ password }: Options) {
  const problem = password === undefined ? null : await checkNewPassword(password);
  if (problem !== null) throw new CommandError(`--password: ${problem}`);
  const chosen = password ?? generatePassword();
  const told = password === undefined ? `; its password is ${chosen} (shown once)` : "";
  return { passwordHash: await hashPassword(chosen), told };
}

if (import.meta.main) {
  answerHelp(USAGE);
  Deno.exit(
    await runOnStore((open) =>
      runAdmin(Deno.args, async (mayMake) => {
        const { store, settings: { variant } } = await open(mayMake);
        return { store, variant, print };
      }), "Stop it first"),
  );
}
