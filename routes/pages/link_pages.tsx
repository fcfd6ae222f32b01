// The pages that links in mails open where the console is not served: passwords are set there, and addresses confirmed.
import type { Context } from "hono";
import { inWords } from "../../http/words.ts";
import { readPageForm } from "../../http/body.ts";
import { deviceCookie } from "../../http/cookies.ts";
import {
  confirmEmailRequest,
  forgotPasswordRequest,
  resetPasswordRequest,
  verifyEmailRequest,
} from "../../models/auth.ts";
import type { FormState } from "../../pages/forms.tsx";
import {
  ConfirmEmailPage,
  DonePage,
  ForgotPasswordPage,
  SetPasswordPage,
  VerifyEmailPage,
} from "../../pages/links.tsx";
import {
  completePasswordReset,
  requestPasswordReset,
} from "../../services/accounts/authentication.ts";
import { emailOfReset } from "../../services/accounts/accounts.ts";
import {
  confirmEmailChange,
  emailOfVerification,
  verifyEmail,
} from "../../services/accounts/verification.ts";
import type { Store } from "../../storage/port.ts";
import type { Visitor } from "../../services/services.ts";
import { readNewPassword, rejected } from "./form_answers.ts";
import { html, type Site } from "./page_answers.tsx";

/** What is said when it is done. */
const DONE = {
  reset: "The password is set: log in with it.",
  verified: "Your e-mail address is confirmed: log in.",
  moved: "Your new e-mail address is confirmed: log in with it from now on.",
} as const;

export function mountLinkPages(site: Site): void {
  mountForgotPassword(site);
  mountLink(site, {
    path: "/reset-password",
    fields: ["password", "confirmPassword"],
    done: "reset",
    emailOf: emailOfReset,
    page: (props) => (
      <SetPasswordPage {...props} action="/reset-password" title="Set a new password" />
    ),
    submit: setPassword,
  });
  mountLink(site, {
    path: "/accept-invitation",
    fields: ["password", "confirmPassword"],
    done: "reset",
    emailOf: emailOfReset,
    page: (props) => (
      <SetPasswordPage
        {...props}
        action="/accept-invitation"
        title="Welcome aboard"
        lead="An account was made for you. Choose a password for it."
      />
    ),
    submit: setPassword,
  });
  mountLink(site, {
    path: "/verify-email",
    fields: ["password", "newPassword", "confirmPassword"],
    done: "verified",
    emailOf: emailOfVerification,
    page: (props) => <VerifyEmailPage {...props} />,
    async submit(visitor, sent) {
      await verifyEmail(visitor, await readNewPassword(verifyEmailRequest, sent, "newPassword"));
      return null;
    },
  });
  mountLink(site, {
    path: "/confirm-email",
    fields: ["password"],
    done: "moved",
    page: (props) => <ConfirmEmailPage {...props} />,
    async submit(visitor, sent) {
      await confirmEmailChange(visitor, confirmEmailRequest.parse(sent, inWords));
      return null;
    },
  });
}

type Sent = Readonly<Record<string, string>>;

async function setPassword(visitor: Visitor, sent: Sent): Promise<string> {
  return await completePasswordReset(visitor, await readNewPassword(resetPasswordRequest, sent));
}

interface Link {
  readonly path: string;
  /** Names of the fields that the page has, for the errors shown beside them. */
  readonly fields: readonly string[];
  readonly done: keyof typeof DONE;
  /** The address of the account. @default it is not shown, for the mail may have gone to someone else */
  emailOf?(store: Store, token: string, now: Date): Promise<string | null>;
  page(
    props: Pick<Site, "assets" | "signIn"> & {
      readonly state: FormState;
      readonly token: string;
      readonly email?: string;
    },
  ): { toString(): string };
  /** @returns A value for the cookie `quarterdeck.device` that marks the device as the account's; null sets none. */
  submit(visitor: Visitor, sent: Sent): Promise<string | null>;
}

function mountLink(site: Site, link: Link): void {
  const { assets, signIn, serve, visitorOf, services: { store, clock } } = site;
  const form = async (c: Context, state: FormState, token = "", status?: number) => {
    const email = await link.emailOf?.(store, token, clock()) ?? undefined;
    return html(c, link.page({ assets, signIn, state, token, email }), status);
  };
  serve("GET", link.path, (c) => form(c, {}, c.req.query("token")));
  serve("POST", link.path, async (c) => {
    const sent = await readPageForm(c.req.raw);
    try {
      const device = await link.submit(visitorOf(c), sent);
      return done(c, site, link.done, device);
    } catch (thrown) {
      const { state, status } = rejected(c, thrown, sent, link.fields);
      return await form(c, state, sent.token, status);
    }
  });
}

function done(
  c: Context,
  { assets, signIn, services: { settings } }: Site,
  what: keyof typeof DONE,
  device: string | null,
): Response {
  const response = html(c, <DonePage assets={assets} signIn={signIn} message={DONE[what]} />);
  if (device !== null) response.headers.append("set-cookie", deviceCookie(c, settings, device));
  return response;
}

function mountForgotPassword({ assets, signIn, serve, visitorOf }: Site): void {
  const form = (c: Context, state: FormState, status?: number) =>
    html(c, <ForgotPasswordPage assets={assets} signIn={signIn} state={state} />, status);
  serve("GET", "/forgot-password", (c) => form(c, {}));
  serve("POST", "/forgot-password", async (c) => {
    const sent = await readPageForm(c.req.raw);
    try {
      await requestPasswordReset(visitorOf(c), forgotPasswordRequest.parse(sent, inWords).email);
      const notice = "If there is such an account, a mail with a link is on its way.";
      return form(c, { notice });
    } catch (thrown) {
      const { state, status } = rejected(c, thrown, sent, ["email"]);
      return form(c, state, status);
    }
  });
}
