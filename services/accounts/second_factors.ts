// Second factors of accounts: codes of an authenticator (TOTP, RFC 6238), and recovery codes, each taken once; and how
// many passkeys there are.
import { getLogger } from "@logtape/logtape";
import type { TOTP } from "otpauth";
import type { Settings } from "../../config/settings.ts";
import { conflict, invalid } from "../../core/errors.ts";
import { sha256 } from "../../core/hashing.ts";
import { createSealer } from "../../core/sealing.ts";
import { passkeys } from "../../models/passkeys.ts";
import { type SecondFactor, secondFactors, signInChallenges } from "../../models/second_factors.ts";
import type { User } from "../../models/users.ts";
import { everyMatch } from "../../storage/every_match.ts";
import type { Store, Transaction } from "../../storage/port.ts";
import { endGivenFactors } from "./sessions.ts";

const log = getLogger(["quarterdeck", "accounts"]);

/** Seconds of a time step (RFC 6238 section 5.2 recommends 30). */
const PERIOD = 30;
/** Bytes: RFC 4226 section 4 recommends 160 bits. */
const SECRET_BYTES = 20;
/** Time steps before and after the current one whose codes are taken too: clocks differ, and people type slowly. */
const STEPS_AROUND = 1;

/** Modules around a QR code (ISO/IEC 18004: four). */
const QUIET_ZONE = 4;

const RECOVERY_CODES = 10;
/** 120 random bits: from 112 on ASVS 5.0, 6.5.2, has them stored by a plain hash. */
const RECOVERY_CODE_LENGTH = 24;
/** Crockford's base32: no letter in it is taken for a digit. There are 32, so that five random bits pick one. */
const RECOVERY_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

type Source = Pick<Store, "from">;

/** Whether the role of a user makes a second factor a must. */
export function needsSecondFactor({ mfaRequiredRoles }: Settings, { role }: Pick<User, "role">) {
  return mfaRequiredRoles.includes(role);
}

/** Plans that what proves a second factor is used up. @returns Whether it was good. */
export type Taking = (tx: Transaction) => Promise<boolean>;

/** What a second factor is proven by. */
export type SecondFactorMethod = "totp" | "passkey" | "recoveryCode";

/** What the second factor of a user is proven by; nothing: there is none. */
export async function methodsOf(source: Source, userId: string): Promise<SecondFactorMethod[]> {
  const factor = await secondFactorOf(source, userId);
  if (!isSet(factor)) return [];
  return [
    ...(factor.totp === undefined ? [] : ["totp"] as const),
    ...(factor.passkeys ? ["passkey"] as const : []),
    "recoveryCode",
  ];
}

/** Whether sign-ins of a user wait for a second factor. */
export async function hasSecondFactor(source: Source, userId: string): Promise<boolean> {
  return isSet(await secondFactorOf(source, userId));
}

function isSet(factor: SecondFactor | null): factor is SecondFactor {
  return factor !== null && (factor.totp !== undefined || (factor.passkeys ?? 0) > 0);
}

export async function secondFactorOf(
  source: Source,
  userId: string,
): Promise<SecondFactor | null> {
  return await source.from(secondFactors).findBy("user", userId);
}

/**
 * Plans the set-up of an authenticator. It counts once `planTotpConfirmation` was given a code of it; until then the
 * one before goes on.
 *
 * @returns What the authenticator has to know: the secret in base32, and the same as URI and as SVG of a QR code.
 */
export async function planTotpSetup(tx: Transaction, settings: Settings, user: User) {
  const [{ Secret }, { renderSVG }] = await Promise.all([codes(), import("uqr")]);
  const secret = new Secret({ size: SECRET_BYTES }).base32;
  const pendingTotp = sealer(settings).seal(secret);
  const known = await secondFactorOf(tx, user.id);
  if (known) tx.update(secondFactors, known, { pendingTotp });
  else tx.insert(secondFactors, { userId: user.id, pendingTotp, recoveryCodes: [] });
  const uri = (await totp(secret, user.email)).toString();
  return { secret, uri, qr: renderSVG(uri, { border: QUIET_ZONE }) };
}

/**
 * Plans that the authenticator which was set up counts from now on, with new recovery codes.
 *
 * @returns The recovery codes; only their hashes are stored.
 * @throws {ApiError} CONFLICT when none was set up, VALIDATION_ERROR for a wrong code.
 */
export async function planTotpConfirmation(
  tx: Transaction,
  settings: Settings,
  userId: string,
  code: string,
): Promise<string[]> {
  const factor = await secondFactorOf(tx, userId);
  if (!factor?.pendingTotp) throw conflict("No authenticator is being set up: begin anew");
  const step = await stepOf(settings, factor.pendingTotp, code, tx.now);
  if (step === null) throw invalid("code", "is wrong: take the one that is shown now");
  const { codes, hashes } = newRecoveryCodes();
  tx.update(secondFactors, factor, {
    totp: factor.pendingTotp,
    totpSince: tx.now,
    totpStep: step,
    pendingTotp: undefined,
    recoveryCodes: hashes,
  });
  return codes;
}

/** Plans new recovery codes in place of all others. @throws {ApiError} CONFLICT without a second factor. */
export async function planRecoveryCodes(tx: Transaction, userId: string): Promise<string[]> {
  const factor = await secondFactorOf(tx, userId);
  if (!isSet(factor)) {
    throw conflict("There is no second factor to recover: set one up first");
  }
  const { codes, hashes } = newRecoveryCodes();
  tx.update(secondFactors, factor, { recoveryCodes: hashes });
  return codes;
}

/**
 * Plans that a user has one passkey more.
 *
 * @param limit How many a user has at most.
 * @returns New recovery codes, where it is the first second factor.
 * @throws {ApiError} CONFLICT
 */
export async function planPasskeyAdded(
  tx: Transaction,
  userId: string,
  limit: number,
): Promise<string[] | undefined> {
  const factor = await secondFactorOf(tx, userId);
  const held = factor?.passkeys ?? 0;
  if (held >= limit) throw conflict(`Nobody has more than ${limit} passkeys: remove one first`);
  const fresh = isSet(factor) ? undefined : newRecoveryCodes();
  const patch = { passkeys: held + 1, ...(fresh ? { recoveryCodes: fresh.hashes } : {}) };
  if (factor) tx.update(secondFactors, factor, patch);
  else tx.insert(secondFactors, { userId, recoveryCodes: [], ...patch });
  return fresh?.codes;
}

/** Plans that a user has one passkey fewer. @throws {ApiError} CONFLICT where their role needs it. */
export async function planPasskeyRemoved(
  tx: Transaction,
  settings: Settings,
  user: User,
): Promise<void> {
  const factor = await secondFactorOf(tx, user.id);
  if (factor) await planLess(tx, settings, user, factor, { passkeys: (factor.passkeys ?? 1) - 1 });
}

/** Plans the end of a user's authenticator. @throws {ApiError} CONFLICT without one, and where their role needs it. */
export async function planTotpRemoval(
  tx: Transaction,
  settings: Settings,
  user: User,
): Promise<void> {
  const factor = await secondFactorOf(tx, user.id);
  if (factor?.totp === undefined) throw conflict("There is no authenticator to remove");
  const without = { totp: undefined, totpSince: undefined, totpStep: undefined };
  await planLess(tx, settings, user, factor, { ...without, pendingTotp: undefined });
}

/** Plans a factor less; with the last one go the recovery codes, and sign-ins that wait. */
async function planLess(
  tx: Transaction,
  settings: Settings,
  user: User,
  factor: SecondFactor,
  patch: Partial<SecondFactor>,
): Promise<void> {
  if (isSet({ ...factor, ...patch })) return void tx.update(secondFactors, factor, patch);
  if (needsSecondFactor(settings, user)) {
    throw conflict("Your role asks for a second factor: set up another one first");
  }
  await endChallenges(tx, user.id);
  // A role that asks for one may be given later: what these sessions gave is no factor of the account then.
  await endGivenFactors(tx, user.id);
  tx.remove(secondFactors, factor);
}

/**
 * Plans the end of all second factors of a user, passkeys too, and of sign-ins that wait for one.
 *
 * @returns Whether there was any.
 */
export async function planRemoval(tx: Transaction, userId: string): Promise<boolean> {
  await endChallenges(tx, userId);
  for (const passkey of await everyMatch(tx, passkeys, { userId })) tx.remove(passkeys, passkey);
  const factor = await secondFactorOf(tx, userId);
  if (factor) tx.remove(secondFactors, factor);
  return isSet(factor);
}

/** Plans the end of sign-ins that wait for a second factor. */
export async function endChallenges(tx: Transaction, userId: string): Promise<void> {
  for (const challenge of await everyMatch(tx, signInChallenges, { userId })) {
    tx.remove(signInChallenges, challenge);
  }
}

/**
 * Plans that a code is used up (ASVS 5.0, 6.5.1: each is good once). Of two plans with one code the second fails at its
 * commit, and finds it used when it runs again.
 *
 * @param code Six digits of the authenticator, or a recovery code; spaces, hyphens and case do not matter.
 * @returns False for a code that is wrong, too old or used.
 */
export async function takeCode(
  tx: Transaction,
  settings: Settings,
  userId: string,
  code: string,
): Promise<boolean> {
  const factor = await secondFactorOf(tx, userId);
  if (!factor) return false;
  const typed = code.replaceAll(/[\s-]/g, "").toLowerCase();
  return /^\d{6}$/.test(typed)
    ? await takeTotp(tx, settings, factor, typed)
    : takeRecoveryCode(tx, factor, typed);
}

async function takeTotp(
  tx: Transaction,
  settings: Settings,
  factor: SecondFactor,
  code: string,
): Promise<boolean> {
  const step = factor.totp ? await stepOf(settings, factor.totp, code, tx.now) : null;
  if (step === null || step <= (factor.totpStep ?? 0)) return false;
  tx.update(secondFactors, factor, { totpStep: step });
  return true;
}

function takeRecoveryCode(tx: Transaction, factor: SecondFactor, code: string): boolean {
  const hash = sha256(code);
  const left = factor.recoveryCodes.filter((one) => one !== hash);
  if (left.length === factor.recoveryCodes.length) return false;
  tx.update(secondFactors, factor, { recoveryCodes: left });
  return true;
}

/** The time step that a code is of, by the server's clock (ASVS 5.0, 6.5.8); null for a wrong or old one. */
async function stepOf(
  settings: Settings,
  sealed: string,
  code: string,
  now: string,
): Promise<number | null> {
  const secret = sealer(settings).open(sealed);
  if (secret === null) {
    log.error(
      "A second factor cannot be read: the secret in the settings is another one than before",
    );
    return null;
  }
  const timestamp = Date.parse(now);
  const token = code.replaceAll(/\s/g, "");
  const delta = (await totp(secret)).validate({ token, timestamp, window: STEPS_AROUND });
  return delta === null ? null : Math.floor(timestamp / 1000 / PERIOD) + delta;
}

/** Loaded with the first code: a server without second factors has no use for it. */
const codes = () => import("otpauth");

async function totp(secret: string, label = ""): Promise<TOTP> {
  const { Secret, TOTP } = await codes();
  return new TOTP({
    issuer: "Quarterdeck",
    label,
    algorithm: "SHA1",
    digits: 6,
    period: PERIOD,
    secret: Secret.fromBase32(secret),
  });
}

function sealer({ secrets }: Settings) {
  return createSealer(secrets.refresh, "second factors");
}

function newRecoveryCodes(): { codes: string[]; hashes: string[] } {
  const plain = Array.from({ length: RECOVERY_CODES }, () => {
    const bytes = crypto.getRandomValues(new Uint8Array(RECOVERY_CODE_LENGTH));
    return Array.from(bytes, (byte) => RECOVERY_ALPHABET[byte % 32]).join("");
  });
  return {
    codes: plain.map((code) => code.match(/.{4}/g)!.join("-")),
    hashes: plain.map((code) => sha256(code)),
  };
}
