// Signing in by a passkey, without a password or after it.
import { ApiError } from "../../core/errors.ts";
import { passkeys, type UsedCredential } from "../../models/passkeys.ts";
import { users } from "../../models/users.ts";
import type { Visitor } from "../services.ts";
import { callerOf, endChallenge, type Opened, openedSession } from "./authentication.ts";
import { waitingSignIn } from "./challenges.ts";
import { passkeysOf, proofOf, takeProof } from "./passkeys.ts";
import { actorOf, planSession, type Proof } from "./sessions.ts";
import { type Ceremony, requestOptionsFor } from "./webauthn.ts";

/** A passkey is two factors in one: what its holder has, and the PIN or the finger that it asks for. */
const BY_PASSKEY: Proof = { method: "passkey", secondFactor: true };

/** Anyone may ask: nothing is stored, and it is the passkey that says whose it is. */
const SIGN_IN: Ceremony = { purpose: "sign-in", subject: "" };

const secondFactor = (id: string): Ceremony => ({ purpose: "second factor", subject: id });

export async function signInOptions({ services: { settings, clock } }: Pick<Visitor, "services">) {
  return await requestOptionsFor({ settings, ceremony: SIGN_IN, now: clock().toISOString() });
}

/**
 * Signs in by a passkey alone. Only failures count against `passkey`, successes against `signIn`.
 *
 * @throws {ApiError} UNAUTHORIZED, the same for every reason; VALIDATION_ERROR for another place; RATE_LIMITED.
 */
export async function logInByPasskey(
  visitor: Visitor,
  credential: UsedCredential,
): Promise<Opened> {
  const { store, limiter, tokens } = visitor.services;
  const passkey = await store.from(passkeys).findBy("credential", credential.id);
  const user = passkey && await store.from(users).get(passkey.userId);
  const caller = user ? await callerOf(visitor, user.email) : { address: visitor.ip };
  limiter.assertFree("signIn", caller);
  const planned = await limiter.attempt("passkey", caller, async () => {
    if (!user) return null;
    const assertion = await proofOf(visitor.services, user, SIGN_IN, credential);
    if (!assertion) return null;
    return await store.transact(actorOf(user, visitor), async (tx) => {
      const current = await tx.from(users).get(user.id);
      if (current?.status !== "active" || !await takeProof(tx, assertion)) return null;
      return await planSession(tx, tokens, current, visitor, BY_PASSKEY);
    });
  });
  if (!planned) {
    throw new ApiError("UNAUTHORIZED", "The passkey is not known, or its answer too late");
  }
  limiter.hit("signIn", caller);
  return await openedSession(visitor, planned);
}

/** Asks for a passkey in place of a code. @throws {ApiError} UNAUTHORIZED, as `waitingSignIn`. */
export async function secondFactorOptions(
  { services: { store, settings, clock } }: Pick<Visitor, "services">,
  token: string,
) {
  const now = clock().toISOString();
  const { challenge, user } = await waitingSignIn(store, token, now);
  const ceremony = secondFactor(challenge.id);
  return await requestOptionsFor({ settings, ceremony, now }, await passkeysOf(store, user.id));
}

/**
 * Ends a sign-in that waits for the second factor. It is held to what codes are held to.
 *
 * @throws {ApiError} UNAUTHORIZED, RATE_LIMITED; VALIDATION_ERROR for another place.
 */
export async function answerByPasskey(
  visitor: Visitor,
  { challenge: token, credential }: { challenge: string; credential: UsedCredential },
): Promise<Opened> {
  return await endChallenge(visitor, token, {
    refusal: "The passkey is not one of this account, or its answer too late",
    async prove({ challenge, user }) {
      const ceremony = secondFactor(challenge.id);
      const assertion = await proofOf(visitor.services, user, ceremony, credential);
      return (tx) => takeProof(tx, assertion);
    },
  });
}
