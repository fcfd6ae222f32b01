// Second factors: one's own, those of a user whom an administrator lets in again, and proving once more who one is.
import { z } from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { visitorOf } from "../../http/visitor.ts";
import { conflict, existing } from "../../core/errors.ts";
import { refreshCookieQuery, signedInOrChallenged } from "../../models/auth.ts";
import {
  recoveryCodes,
  secondFactorRequest,
  secondFactorState,
  stepUpRequest,
  totpConfirmation,
  totpSetup,
} from "../../models/second_factors.ts";
import { users } from "../../models/users.ts";
import { answerChallenge } from "../../services/accounts/authentication.ts";
import {
  needsSecondFactor,
  planRecoveryCodes,
  planRemoval,
  planTotpRemoval,
  planTotpSetup,
  secondFactorOf,
} from "../../services/accounts/second_factors.ts";
import {
  confirmAuthenticator,
  tellOfSecondFactor,
} from "../../services/accounts/factor_changes.ts";
import { sessionOf } from "../../services/accounts/principals.ts";
import { stepUp } from "../../services/accounts/step_up.ts";
import { assertMayManage, roleOf } from "../../services/access/users.ts";
import { endGivenFactors } from "../../services/accounts/sessions.ts";
import { opened, signedInOnTop } from "./auth.ts";

const tag = "Second factors";

const answer = endpoint({
  operationId: "completeSecondFactor",
  method: "post",
  path: "/auth/mfa",
  tag,
  summary: "End a sign-in by the second factor",
  description:
    "With the challenge that the log-in answered with, good for five minutes, and a code of the authenticator or a " +
    "recovery code. Each code is good once; five wrong ones end the sign-in.",
  access: "public",
  secret: true,
  query: refreshCookieQuery,
  body: secondFactorRequest,
  data: signedInOrChallenged,
  extra: signedInOnTop,
  errors: ["UNAUTHORIZED", "RATE_LIMITED"],
  handle: async (call) => opened(call, await answerChallenge(visitorOf(call), call.body)),
});

const state = endpoint({
  operationId: "getSecondFactors",
  method: "get",
  path: "/auth/mfa",
  tag,
  summary: "One's own second factors",
  access: "authenticated",
  beforeSecondFactor: true,
  secret: true,
  data: secondFactorState,
  async handle({ store, services: { settings }, principal: { user } }) {
    const factor = await secondFactorOf(store, user.id);
    return {
      data: {
        totp: { enabled: factor?.totp !== undefined, since: factor?.totpSince },
        passkeys: factor?.passkeys ?? 0,
        recoveryCodes: factor?.recoveryCodes.length ?? 0,
        required: needsSecondFactor(settings, user),
      },
    };
  },
});

const setUp = endpoint({
  operationId: "createTotp",
  method: "post",
  path: "/auth/mfa/totp",
  tag,
  summary: "Set up an authenticator",
  description:
    "Answers with a new secret, as text, URI and QR code. It counts once it is confirmed by a code; an authenticator " +
    "that was set up before goes on until then.",
  access: "authenticated",
  ownSession: true,
  stepUp: true,
  beforeSecondFactor: true,
  secret: true,
  created: true,
  data: totpSetup,
  async handle(call) {
    const { principal: { user }, services: { settings } } = call;
    return { data: await call.transact((tx) => planTotpSetup(tx, settings, user)) };
  },
});

const confirm = endpoint({
  operationId: "confirmTotp",
  method: "post",
  path: "/auth/mfa/totp/confirm",
  tag,
  summary: "Confirm an authenticator by a code of it",
  description:
    "From now on sign-ins take a code. Answers with ten recovery codes, each good for one sign-in without the " +
    "authenticator; they are shown this once, and replace earlier ones.",
  access: "authenticated",
  ownSession: true,
  stepUp: true,
  beforeSecondFactor: true,
  secret: true,
  body: totpConfirmation,
  data: recoveryCodes,
  errors: ["CONFLICT", "RATE_LIMITED"],
  async handle(call) {
    const { principal: { user }, services } = call;
    const codes = await confirmAuthenticator(
      services,
      user,
      call.body.code,
      (plan) => call.transact((tx) => plan(tx, sessionOf(call.principal))),
    );
    return { data: { recoveryCodes: codes }, message: "Keep these codes where you find them" };
  },
});

const renewRecoveryCodes = endpoint({
  operationId: "createRecoveryCodes",
  method: "post",
  path: "/auth/mfa/recovery-codes",
  tag,
  summary: "New recovery codes in place of the earlier ones",
  access: "authenticated",
  ownSession: true,
  stepUp: true,
  secret: true,
  created: true,
  data: recoveryCodes,
  errors: ["CONFLICT"],
  async handle(call) {
    const { principal: { user }, services } = call;
    const codes = await call.transact((tx) => planRecoveryCodes(tx, user.id));
    tellOfSecondFactor(services, user, "Your recovery codes were replaced by new ones.");
    return { data: { recoveryCodes: codes } };
  },
});

const remove = endpoint({
  operationId: "deleteTotp",
  method: "delete",
  path: "/auth/mfa/totp",
  tag,
  summary: "Remove one's authenticator",
  description: "The recovery codes go with it where there is no passkey.",
  access: "authenticated",
  ownSession: true,
  stepUp: true,
  secret: true,
  errors: ["CONFLICT"],
  async handle(call) {
    const { principal: { user }, services } = call;
    await call.transact((tx) => planTotpRemoval(tx, services.settings, call.principal.user));
    tellOfSecondFactor(
      services,
      user,
      "Your authenticator was removed: its codes are not taken any more.",
    );
    return { message: "The authenticator is removed" };
  },
});

const again = endpoint({
  operationId: "stepUp",
  method: "post",
  path: "/auth/step-up",
  tag,
  summary: "Prove once more who you are",
  description:
    "By a code of the second factor; accounts without one give the password. Opens for ten minutes what answers 403 " +
    "STEP_UP_REQUIRED.",
  access: "authenticated",
  ownSession: true,
  beforeSecondFactor: true,
  secret: true,
  body: stepUpRequest,
  errors: ["RATE_LIMITED"],
  async handle(call) {
    await stepUp(call, call.body);
    return { message: "You have proven who you are" };
  },
});

const removeOfUser = endpoint({
  operationId: "deleteUserSecondFactors",
  method: "delete",
  path: "/users/{id}/mfa",
  tag,
  summary: "Remove the second factors of a user who has lost them",
  description:
    "Not of someone who may do more than you. All their sessions go on; they are told by mail.",
  access: "users:update",
  ownSession: true,
  stepUp: true,
  data: z.object({ id: z.string() }),
  errors: ["NOT_FOUND", "CONFLICT"],
  async handle(call) {
    const { id } = call.params;
    const user = await call.transact(async (tx) => {
      const user = existing(await tx.from(users).get(id), "user");
      assertMayManage(call.principal, user, await roleOf(tx, user));
      if (id === call.principal.user.id && needsSecondFactor(call.services.settings, user)) {
        throw conflict("Your role asks for a second factor: set up another one first");
      }
      if (!await planRemoval(tx, id)) throw conflict(`${user.name} has no second factor`);
      await endGivenFactors(tx, id);
      return user;
    });
    const what = "An administrator removed your second factor: sign in, and set up a new one.";
    tellOfSecondFactor(call.services, user, what, call.principal.user.id);
    return { data: { id }, message: "The second factors are removed" };
  },
});

export const secondFactorRoutes = [
  answer,
  state,
  setUp,
  confirm,
  renewRecoveryCodes,
  remove,
  again,
];
export const userSecondFactorRoutes = [removeOfUser];
