// Passkeys: one's own, signing in by one, and one as the second factor or as a proof of who one is.
import { z } from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { listing, pagination } from "../../http/lists.ts";
import { visitorOf } from "../../http/visitor.ts";
import { refreshCookieQuery, signedInOrChallenged } from "../../models/auth.ts";
import {
  creationOptions,
  type Passkey,
  passkeyListQuery,
  passkeyProof,
  passkeyQuestion,
  passkeyRegistration,
  passkeys,
  passkeySecondFactor,
  passkeyUpdate,
  publicPasskey,
  registeredPasskey,
  requestOptions,
} from "../../models/passkeys.ts";
import { deleted } from "../../models/requests.ts";
import { sessions } from "../../models/sessions.ts";
import {
  answerByPasskey,
  logInByPasskey,
  secondFactorOptions,
  signInOptions,
} from "../../services/accounts/passkey_sign_in.ts";
import {
  ownPasskey,
  passkeysOf,
  planPasskey,
  planPasskeyRemoval,
} from "../../services/accounts/passkeys.ts";
import { sessionOf } from "../../services/accounts/principals.ts";
import { stepUpByPasskey, stepUpOptions } from "../../services/accounts/step_up.ts";
import {
  type Ceremony,
  checkRegistration,
  creationOptionsFor,
} from "../../services/accounts/webauthn.ts";
import type { Principal } from "../../services/access/access.ts";
import { opened, signedInOnTop } from "./auth.ts";
import { endProofs } from "../../services/accounts/sessions.ts";
import { tellOfSecondFactor } from "../../services/accounts/factor_changes.ts";

const tag = "Passkeys";

const registration = (principal: Principal): Ceremony => ({
  purpose: "registration",
  subject: sessionOf(principal).id,
});

const registrationOptions = endpoint({
  operationId: "getPasskeyCreationOptions",
  method: "post",
  path: "/auth/passkeys/options",
  tag,
  summary: "What a browser needs to make a passkey",
  description:
    "For `PublicKeyCredential.parseCreationOptionsFromJSON()`. What the browser makes of it goes to POST /auth/passkeys " +
    "within five minutes, from the same session.",
  access: "authenticated",
  ownSession: true,
  stepUp: true,
  beforeSecondFactor: true,
  secret: true,
  data: creationOptions,
  async handle({ store, services: { settings }, principal, now }) {
    const asked = { settings, ceremony: registration(principal), now };
    const held = await passkeysOf(store, principal.user.id);
    return { data: await creationOptionsFor(asked, principal.user, held) };
  },
});

const register = endpoint({
  operationId: "createPasskey",
  method: "post",
  path: "/auth/passkeys",
  tag,
  summary: "Register a passkey",
  description:
    "It signs in by itself, and is a second factor: from now on a log-in by password asks for it. Where it is the first, " +
    "the answer holds ten recovery codes, this once.",
  access: "authenticated",
  ownSession: true,
  stepUp: true,
  beforeSecondFactor: true,
  secret: true,
  created: true,
  body: passkeyRegistration,
  data: registeredPasskey,
  errors: ["CONFLICT"],
  async handle(call) {
    const { services, body: { name = "Passkey", credential } } = call;
    const { user } = call.principal;
    const asked = { settings: services.settings, ceremony: registration(call.principal) };
    const made = await checkRegistration(asked, credential);
    const { passkey, recoveryCodes } = await call.transact(async (tx) => {
      const session = sessionOf(call.principal);
      tx.update(sessions, session, { provenAt: tx.now, secondFactor: true });
      const planned = await planPasskey(tx, user.id, made, name);
      if (planned.recoveryCodes) await endProofs(tx, user.id, session.id);
      return planned;
    });
    tellOfSecondFactor(services, user, "A passkey was added: it signs in to your account.");
    return { data: { ...passkey, recoveryCodes }, message: "The passkey is registered" };
  },
});

const list = endpoint({
  operationId: "listPasskeys",
  method: "get",
  path: "/auth/passkeys",
  tag,
  summary: "One's own passkeys",
  access: "authenticated",
  ownSession: true,
  beforeSecondFactor: true,
  query: passkeyListQuery,
  list: true,
  data: z.array(publicPasskey),
  async handle({ store, query, principal }) {
    const paging = listing<Passkey>(query);
    const where = { ...query.where, userId: principal.user.id };
    const page = await store.from(passkeys).list({ ...paging, where });
    return { data: [...page.rows], pagination: pagination(paging, page) };
  },
});

const rename = endpoint({
  operationId: "updatePasskey",
  method: "put",
  path: "/auth/passkeys/{id}",
  tag,
  summary: "Name a passkey",
  access: "authenticated",
  ownSession: true,
  body: passkeyUpdate,
  data: publicPasskey,
  errors: ["NOT_FOUND"],
  async handle(call) {
    const { params: { id }, body: { name } } = call;
    const passkey = await call.transact(async (tx) =>
      tx.update(passkeys, await ownPasskey(tx, id, call.principal.user.id), { name })
    );
    return { data: passkey, message: "The passkey is saved" };
  },
});

const remove = endpoint({
  operationId: "deletePasskey",
  method: "delete",
  path: "/auth/passkeys/{id}",
  tag,
  summary: "Remove a passkey: it signs in no more",
  description: "The recovery codes go with the last one where there is no authenticator.",
  access: "authenticated",
  ownSession: true,
  stepUp: true,
  data: deleted,
  errors: ["NOT_FOUND", "CONFLICT"],
  async handle(call) {
    const { services, params: { id } } = call;
    await call.transact((tx) => planPasskeyRemoval(tx, services, call.principal.user, id));
    tellOfSecondFactor(services, call.principal.user, "One of your passkeys was removed.");
    return { data: { id }, message: "The passkey is removed" };
  },
});

const signInQuestion = endpoint({
  operationId: "getPasskeySignInOptions",
  method: "post",
  path: "/auth/passkeys/sign-in/options",
  tag,
  summary: "What a browser needs to sign in by a passkey",
  description:
    "For `PublicKeyCredential.parseRequestOptionsFromJSON()`: the browser offers the passkeys it has for this place, so " +
    "that nobody is asked for a name.",
  access: "public",
  secret: true,
  data: requestOptions,
  handle: async (call) => ({ data: await signInOptions(call) }),
});

const signIn = endpoint({
  operationId: "signInByPasskey",
  method: "post",
  path: "/auth/passkeys/sign-in",
  tag,
  summary: "Sign in by a passkey",
  description: "A passkey is two factors in one: no code is asked for.",
  access: "public",
  secret: true,
  query: refreshCookieQuery,
  body: passkeyProof,
  data: signedInOrChallenged,
  extra: signedInOnTop,
  errors: ["UNAUTHORIZED", "RATE_LIMITED"],
  handle: async (call) => opened(call, await logInByPasskey(visitorOf(call), call.body.credential)),
});

const secondFactorQuestion = endpoint({
  operationId: "getSecondFactorPasskeyOptions",
  method: "post",
  path: "/auth/mfa/passkey/options",
  tag,
  summary: "What a browser needs to end a sign-in by a passkey",
  description: "With the challenge that the log-in answered with.",
  access: "public",
  secret: true,
  body: passkeyQuestion,
  data: requestOptions,
  errors: ["UNAUTHORIZED"],
  handle: async (call) => ({ data: await secondFactorOptions(call, call.body.challenge) }),
});

const secondFactor = endpoint({
  operationId: "completeSecondFactorByPasskey",
  method: "post",
  path: "/auth/mfa/passkey",
  tag,
  summary: "End a sign-in by a passkey in place of a code",
  access: "public",
  secret: true,
  query: refreshCookieQuery,
  body: passkeySecondFactor,
  data: signedInOrChallenged,
  extra: signedInOnTop,
  errors: ["UNAUTHORIZED", "RATE_LIMITED"],
  handle: async (call) => opened(call, await answerByPasskey(visitorOf(call), call.body)),
});

const proofQuestion = endpoint({
  operationId: "getStepUpPasskeyOptions",
  method: "post",
  path: "/auth/step-up/passkey/options",
  tag,
  summary: "What a browser needs to prove by a passkey who you are",
  access: "authenticated",
  ownSession: true,
  beforeSecondFactor: true,
  secret: true,
  data: requestOptions,
  errors: ["CONFLICT"],
  handle: async (call) => ({ data: await stepUpOptions(call) }),
});

const proof = endpoint({
  operationId: "stepUpByPasskey",
  method: "post",
  path: "/auth/step-up/passkey",
  tag,
  summary: "Prove by a passkey who you are",
  description: "Opens for ten minutes what answers 403 STEP_UP_REQUIRED.",
  access: "authenticated",
  ownSession: true,
  beforeSecondFactor: true,
  secret: true,
  body: passkeyProof,
  errors: ["RATE_LIMITED"],
  async handle(call) {
    await stepUpByPasskey(call, call.body.credential);
    return { message: "You have proven who you are" };
  },
});

export const passkeyRoutes = [
  registrationOptions,
  register,
  list,
  rename,
  remove,
  signInQuestion,
  signIn,
  secondFactorQuestion,
  secondFactor,
  proofQuestion,
  proof,
];
