// Proving once more who one is, before what would help whoever found an open session or stole its token.
import { ApiError, invalid } from "../../core/errors.ts";
import { MINUTE } from "../../core/units.ts";
import { type Session, sessions } from "../../models/sessions.ts";
import { users } from "../../models/users.ts";
import type { Transaction } from "../../storage/port.ts";
import type { Principal } from "../access/access.ts";
import type { Services } from "../services.ts";
import { proveCaller, wrongPassword } from "./proof.ts";
import { sessionOf } from "./principals.ts";
import { hasSecondFactor, takeCode } from "./second_factors.ts";

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

/** Plans that the user of a session has just proven who they are. */
export function planProof(
  tx: Transaction,
  session: Session,
  proof: { secondFactor: boolean },
): void {
  const secondFactor = proof.secondFactor || session.secondFactor;
  tx.update(sessions, session, { provenAt: tx.now, secondFactor });
}

/** What `stepUp` needs of a request. */
interface Asked {
  readonly services: Services;
  readonly ip: string;
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
      throw invalid("code", "is required: your account has a second factor");
    }
    return await stepUpByCode(call, given.code);
  }
  if (given.currentPassword === undefined) throw invalid("currentPassword", "is required");
  await proveCaller(call, given.currentPassword);
  await call.transact(async (tx) => {
    const current = await tx.from(users).get(user.id);
    // If the password was reset, or a second factor set up, since it was proven, the proof no longer counts.
    if (current?.passwordHash !== user.passwordHash || await hasSecondFactor(tx, user.id)) {
      throw wrongPassword();
    }
    planProof(tx, sessionOf(call.principal), { secondFactor: false });
  });
}

async function stepUpByCode(call: Asked, code: string): Promise<void> {
  const { services: { limiter, settings }, ip, principal } = call;
  const { user } = principal;
  const taken = await limiter.attempt(
    "secondFactor",
    { address: ip, account: user.id, device: sessionOf(principal).id },
    async () => {
      const right = await call.transact(async (tx) => {
        const right = await takeCode(tx, settings, user.id, code);
        if (right) planProof(tx, sessionOf(call.principal), { secondFactor: true });
        return right;
      });
      return right || null;
    },
  );
  if (!taken) throw invalid("code", "is wrong or was used: take the one that is shown now");
}
