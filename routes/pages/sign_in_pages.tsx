// The pages for signing in and out, and registering.
import { inWords } from "../../http/words.ts";
import type { Context } from "hono";
import { clearedCookies } from "../../http/cookies.ts";
import type { Settings } from "../../config/settings.ts";
import { readPageForm } from "../../http/body.ts";
import { loginRequest } from "../../models/auth.ts";
import { registration } from "../../models/users.ts";
import { type FormState, LoginPage, type PageLink, RegisterPage } from "../../pages/forms.tsx";
import { logIn, logOut, register } from "../../services/accounts/authentication.ts";
import { sessionOf } from "../../services/accounts/principals.ts";
import { localPath } from "../../services/accounts/redirects.ts";
import { readNewPassword, rejected } from "./form_answers.ts";
import { DONE } from "./link_pages.tsx";
import { HOME, html, principalOf, seeOther, type Site } from "./page_answers.tsx";
import { askForCode, enter } from "./second_factor_pages.tsx";

/** What the log-in page says after another page led there. */
function noticesOf({ emailVerification }: Settings): ReadonlyMap<string | undefined, string> {
  const mailed = emailVerification ? " We mailed you a link that confirms your address." : "";
  return new Map([
    ["registered", `Your account is ready: log in with it.${mailed}`],
    ["out", "You are logged out."],
    ...Object.entries(DONE),
  ]);
}

/** Links that sign in by a provider, and lead back to a path. */
function providerLinks({ providers, basePath }: Settings, back: string | null): PageLink[] {
  const query = back === null ? "" : `?${new URLSearchParams({ redirect: back })}`;
  return providers.map(({ name, label }) => ({
    href: `${basePath}/auth/oidc/${name}${query}`,
    label: `Log in by ${label}`,
  }));
}

export function mountLogin(site: Site): void {
  const { services, assets, serve, visitorOf } = site;
  const { settings } = services;
  const notices = noticesOf(settings);
  const form = (c: Context, state: FormState, redirect: string | null, status?: number) => {
    const providers = providerLinks(settings, redirect);
    const props = { assets, state, redirect, registration: settings.registration, providers };
    return html(c, <LoginPage {...props} />, status);
  };
  serve("GET", "/login", async (c) => {
    const back = localPath(c.req.query("redirect"));
    if (await principalOf(c, services)) return seeOther(c, back ?? HOME);
    return form(c, { notice: notices.get(c.req.query("notice")) }, back);
  });
  serve("POST", "/login", async (c) => {
    const sent = await readPageForm(c.req.raw);
    const back = localPath(sent.redirect);
    try {
      const result = await logIn(visitorOf(c), loginRequest.parse(sent, inWords));
      if ("challenge" in result) return askForCode(c, site, result.challenge, back);
      return enter(c, site, result, back);
    } catch (thrown) {
      const { state, status } = rejected(c, thrown, sent, ["email", "password"]);
      return form(c, state, back, status);
    }
  });
}

export function mountLogout({ services, serve, visitorOf }: Site): void {
  serve("POST", "/logout", async (c) => {
    const principal = await principalOf(c, services);
    if (principal) {
      const actor = { ...visitorOf(c).actor, userId: principal.user.id };
      await logOut(services, actor, sessionOf(principal).id);
    }
    return seeOther(c, "/login?notice=out", clearedCookies(c, services.settings));
  });
}

export function mountRegister({ services, assets, serve, visitorOf }: Site): void {
  const open = services.settings.registration;
  const form = (c: Context, state: FormState, status?: number) =>
    html(c, <RegisterPage assets={assets} state={state} open={open} />, status);
  serve("GET", "/register", (c) => form(c, {}));
  serve("POST", "/register", async (c) => {
    const sent = await readPageForm(c.req.raw);
    try {
      await register(visitorOf(c), await readNewPassword(registration, sent));
      return seeOther(c, "/login?notice=registered");
    } catch (thrown) {
      const fields = ["name", "email", "password", "confirmPassword"];
      const { state, status } = rejected(c, thrown, sent, fields);
      return form(c, state, status);
    }
  });
}
