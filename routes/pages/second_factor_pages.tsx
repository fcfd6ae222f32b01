// The pages of the second factor, for variants whose people sign in by pages.
import type { Context } from "hono";
import { readPageForm } from "../../http/body.ts";
import { sessionCookies } from "../../http/cookies.ts";
import { inWords } from "../../http/words.ts";
import { ApiError } from "../../core/errors.ts";
import { secondFactorRequest, totpConfirmation } from "../../models/second_factors.ts";
import type { FormState } from "../../pages/forms.tsx";
import {
  ChallengePage,
  ConfirmPage,
  RecoveryCodesPage,
  SecondFactorPage,
  SetupPage,
} from "../../pages/second_factor.tsx";
import type { Principal } from "../../services/access/access.ts";
import { answerChallenge, type Opened } from "../../services/accounts/authentication.ts";
import { principalInPlan, sessionOf } from "../../services/accounts/principals.ts";
import { localPath, loginPath } from "../../services/accounts/redirects.ts";
import {
  needsSecondFactor,
  planTotpSetup,
  secondFactorOf,
} from "../../services/accounts/second_factors.ts";
import { confirmAuthenticator } from "../../services/accounts/factor_changes.ts";
import { isProven } from "../../services/accounts/step_up.ts";
import type { Transaction } from "../../storage/port.ts";
import { rejected } from "./form_answers.ts";
import { HOME, html, principalOf, seeOther, type Site } from "./page_answers.tsx";

/** Where an authenticator is set up. */
export const SECOND_FACTOR = "/second-factor";

/** The way on after a sign-in. */
export function enter(c: Context, { services }: Site, opened: Opened, back: string | null) {
  const values = {
    token: opened.pair.accessToken,
    session: opened.cookie,
    device: opened.device,
  };
  return seeOther(c, back ?? HOME, sessionCookies(c, services.settings, values));
}

/** Asks for the code that ends a sign-in. */
export function askForCode(
  c: Context,
  { assets }: Site,
  challenge: string,
  redirect: string | null,
): Response {
  return html(c, <ChallengePage {...{ assets, state: {}, challenge, redirect }} />);
}

export function mountSecondFactor(site: Site): void {
  mountCode(site);
  mountSetup(site);
  mountConfirmation(site);
}

function mountCode(site: Site): void {
  const { assets, serve, visitorOf } = site;
  serve("GET", "/login/code", (c) => seeOther(c, loginPath()));
  serve("POST", "/login/code", async (c) => {
    const sent = await readPageForm(c.req.raw);
    const redirect = localPath(sent.redirect);
    try {
      const form = secondFactorRequest.parse(sent, inWords);
      return enter(c, site, await answerChallenge(visitorOf(c), form), redirect);
    } catch (thrown) {
      const { state, status } = rejected(c, thrown, sent, ["code"]);
      const challenge = sent.challenge ?? "";
      return html(c, <ChallengePage {...{ assets, state, challenge, redirect }} />, status);
    }
  });
}

function mountSetup(site: Site): void {
  const { services, assets, serve } = site;
  const { settings, store } = services;
  serve("GET", SECOND_FACTOR, async (c) => {
    const principal = await principalOf(c, services);
    if (!principal) return seeOther(c, loginPath(SECOND_FACTOR));
    const enabled = (await secondFactorOf(store, principal.user.id))?.totp !== undefined;
    const required = needsSecondFactor(settings, principal.user);
    return html(c, <SecondFactorPage {...{ assets, state: {}, enabled, required }} />);
  });
  serve("POST", SECOND_FACTOR, async (c) => {
    const setup = await asCaller(
      c,
      site,
      (tx, { user }) => planTotpSetup(tx, settings, user),
    );
    return html(c, <SetupPage assets={assets} state={{}} setup={setup} />);
  });
}

function mountConfirmation(site: Site): void {
  const { services, assets, serve } = site;
  const form = (c: Context, state: FormState, status?: number) =>
    html(c, <ConfirmPage assets={assets} state={state} />, status);
  serve("GET", `${SECOND_FACTOR}/confirm`, (c) => form(c, {}));
  serve("POST", `${SECOND_FACTOR}/confirm`, async (c) => {
    const principal = await principalOf(c, services);
    if (!principal) return seeOther(c, loginPath(SECOND_FACTOR));
    const sent = await readPageForm(c.req.raw);
    try {
      const { code } = totpConfirmation.parse(sent, inWords);
      const codes = await confirmAuthenticator(
        services,
        principal.user,
        code,
        (plan) => asCaller(c, site, (tx, principal) => plan(tx, sessionOf(principal))),
      );
      return html(c, <RecoveryCodesPage assets={assets} codes={codes} />);
    } catch (thrown) {
      const { state, status } = rejected(c, thrown, sent, ["code"]);
      return form(c, state, status);
    }
  });
}

/**
 * Commits in the name of whoever the cookie stands for, if they proved a short while ago who they are.
 *
 * @throws {ApiError} UNAUTHORIZED, STEP_UP_REQUIRED
 */
async function asCaller<R>(
  c: Context,
  { services, visitorOf }: Site,
  plan: (tx: Transaction, principal: Principal) => Promise<R>,
): Promise<R> {
  const known = await principalOf(c, services);
  if (!known) throw new ApiError("UNAUTHORIZED");
  const actor = { ...visitorOf(c).actor, userId: known.user.id };
  return await services.store.transact(actor, async (tx) => {
    const principal = await principalInPlan(tx, known);
    if (!principal) throw new ApiError("UNAUTHORIZED");
    if (!isProven(sessionOf(principal), tx.now)) {
      throw new ApiError(
        "STEP_UP_REQUIRED",
        "Log out and in again first: this takes a fresh sign-in",
      );
    }
    return await plan(tx, principal);
  });
}
