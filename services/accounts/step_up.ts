// Proving once more who one is, before what would help whoever found an open session or stole its token.
import type { Awaitable } from "../../core/awaitable.ts";
import { ApiError, conflict, invalid } from "../../core/errors.ts";
import { MINUTE } from "../../core/units.ts";
import { auditLog } from "../../models/audit.ts";
import type { UsedCredential } from "../../models/passkeys.ts";
import { type Session, sessions } from "../../models/sessions.ts";
import { users } from "../../models/users.ts";
import { auditEntry } from "../../storage/audit.ts";
import type { Actor, Transaction } from "../../storage/port.ts";
import type { Principal } from "../access/access.ts";
import type { Services } from "../services.ts";
import { passkeysOf, proofOf, takeProof } from "./passkeys.ts";
import { proveCaller, wrongPassword } from "./proof.ts";
import { sessionOf } from "./principals.ts";
import { hasSecondFactor, takeCode, type Taking } from "./second_factors.ts";
import { type Ceremony, requestOptionsFor } from "./webauthn.ts";

/** Milliseconds that a proof is good for (ASVS 5.0, 7.5.3: the strongest factor again before sensitive changes). */
const LIFETIME = 10 * MINUTE;

/** Whether the user proved a short while ago who they are. After the clock was set back, that seems to be to come. */
export function isProven({ provenAt, createdAt }: Session, now: string): boolean {
  return Math.abs(Date.parse(now) - Date.parse(provenAt ?? createdAt)) <= LIFETIME;
}

/** @throws {ApiError} STEP_UP_REQUIRED; a program, and who acts as another user, can prove nothing. */
export function assertProven({ session }: Principal, now: string): void {
  const own = session !== null && session.impersonatorId === undefined;
  if (!own || !isProven(session, now)) throw new ApiError("STEP_UP_REQUIRED");
}

/** Call before rights are given or taken. @throws {ApiError} STEP_UP_REQUIRED where STEP_UP_ROLES is on. */
export function assertProvenForRights(
  { settings, clock }: Pick<Services, "settings" | "clock">,
  principal: Principal,
): void {
  if (settings.stepUpRoles) assertProven(principal, clock().toISOString());
}

/** Plans that the caller has just proven who they are. */
function planProof(
  tx: Transaction,
  { actor, principal }: Pick<Asked, "actor" | "principal">,
  proof: { secondFactor: boolean },
): void {
  const session = sessionOf(principal);
  const secondFactor = proof.secondFactor || session.secondFactor;
  tx.update(sessions, session, { provenAt: tx.now, secondFactor });
  const { id: targetId, name: targetName } = principal.user;
  const act = { action: "prove", target: users.name, targetId, targetName };
  tx.insert(auditLog, auditEntry(actor, act));
}

/** What `stepUp` needs of a request. */
interface Asked {
  readonly services: Services;
  readonly ip: string;
  readonly actor: Actor;
  readonly principal: Principal;
  transact<R>(plan: (tx: Transaction) => Promise<R>): Promise<R>;
}

/**
 * Takes the code of an account with a second factor, else the password, as a proof.
 *
 * @throws {ApiError} VALIDATION_ERROR for what is wrong or missing; RATE_LIMITED.
 */
export async function stepUp(
  call: Asked,
  given: { readonly code?: string; readonly currentPassword?: string },
): Promise<void> {
  const { user } = call.principal;
  if (await hasSecondFactor(call.services.store, user.id)) {
    if (given.code === undefined) {
      throw invalid("code", "is required, or a passkey: your account has a second factor");
    }
    const { code } = given;
    const take = (tx: Transaction) => takeCode(tx, call.services.settings, user.id, code);
    if (await stepUpBy(call, () => take)) return;
    throw invalid("code", "is wrong or was used: take the one that is shown now");
  }
  if (given.currentPassword === undefined) throw invalid("currentPassword", "is required");
  await proveCaller(call, given.currentPassword);
  await call.transact(async (tx) => {
    const current = await tx.from(users).get(user.id);
    // If the password was reset, or a second factor set up, since it was proven, the proof no longer counts.
    if (current?.passwordHash !== user.passwordHash || await hasSecondFactor(tx, user.id)) {
      throw wrongPassword();
    }
    planProof(tx, call, { secondFactor: false });
  });
}

/**
 * Takes a second factor as a proof.
 *
 * @param prove Checks what can be checked before the plan. @returns Whether it was good.
 * @throws {ApiError} RATE_LIMITED
 */
async function stepUpBy(call: Asked, prove: () => Awaitable<Taking>): Promise<boolean> {
  const { services: { limiter }, ip, principal } = call;
  const caller = { address: ip, account: principal.user.id, device: sessionOf(principal).id };
  const taken = await limiter.attempt("secondFactor", caller, async () => {
    const take = await prove();
    const right = await call.transact(async (tx) => {
      const right = await take(tx);
      if (right) planProof(tx, call, { secondFactor: true });
      return right;
    });
    return right || null;
  });
  return taken === true;
}

/** What a session is asked for that steps up by a passkey. */
const ceremonyOf = (principal: Principal): Ceremony => ({
  purpose: "step-up",
  subject: sessionOf(principal).id,
});

/** Asks for a passkey of the caller. @throws {ApiError} CONFLICT without one. */
export async function stepUpOptions({ services, principal }: Asked) {
  const { store, settings, clock } = services;
  const held = await passkeysOf(store, principal.user.id);
  if (held.length === 0) throw conflict("You have no passkey: give the password or a code");
  const now = clock().toISOString();
  return await requestOptionsFor({ settings, ceremony: ceremonyOf(principal), now }, held);
}

/** Takes the answer of a passkey as a proof. @throws {ApiError} VALIDATION_ERROR, RATE_LIMITED */
export async function stepUpByPasskey(call: Asked, credential: UsedCredential): Promise<void> {
  const { services, principal } = call;
  const taken = await stepUpBy(call, async () => {
    const assertion = await proofOf(services, principal.user, ceremonyOf(principal), credential);
    return (tx) => takeProof(tx, assertion);
  });
  if (!taken) {
    throw invalid("credential", "The passkey is not one of yours, or its answer too late");
  }
}
