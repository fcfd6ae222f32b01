// The pages for signing in and out, registering, and recovering a password.
import type { Context } from "hono";
import { z } from "zod";
import { clearedCookies, sessionCookies } from "../cookies.ts";
import { ApiError } from "../errors.ts";
import { readForm } from "../middleware/body.ts";
import { forgotPasswordRequest, loginRequest, resetPasswordRequest } from "../models/auth.ts";
import { registration } from "../models/users.ts";
import {
  ForgotPasswordPage,
  type FormState,
  LoginPage,
  RegisterPage,
  ResetPasswordPage,
} from "../pages/forms.tsx";
import { knownError } from "../respond.ts";
import {
  completePasswordReset,
  logIn,
  logOut,
  register,
  requestPasswordReset,
} from "../services/authentication.ts";
import { localPath } from "../services/redirects.ts";
import { UniqueConflict } from "../store.ts";
import { html, principalOf, seeOther, type Site } from "./page_answers.tsx";

/** Where a sign-in leads when it was not asked for by another page. */
export const HOME = "/dashboard";

/** What the log-in page says after another page led there. */
const NOTICES: ReadonlyMap<string | undefined, string> = new Map([
  ["registered", "Your account is ready: log in with it."],
  ["reset", "The password is set: log in with it."],
  ["out", "You are logged out."],
]);

export function mountLogin({ services, assets, serve, visitorOf }: Site): void {
  const { config } = services;
  const form = (c: Context, state: FormState, redirect: string | null, status?: number) => {
    const props = { assets, state, redirect, registration: config.registration };
    return html(c, <LoginPage {...props} />, status);
  };
  serve("GET", "/login", async (c) => {
    const back = localPath(c.req.query("redirect"));
    if (await principalOf(c, services)) return seeOther(c, back ?? HOME);
    return form(c, { notice: NOTICES.get(c.req.query("notice")) }, back);
  });
  serve("POST", "/login", async (c) => {
    const sent = await readForm(c.req.raw);
    const back = localPath(sent.redirect);
    try {
      const { pair, cookie } = await logIn(visitorOf(c), loginRequest.parse(sent));
      const values = { token: pair.accessToken, session: cookie };
      return seeOther(c, back ?? HOME, sessionCookies(c, config, values));
    } catch (thrown) {
      const { state, status } = rejected(thrown, sent, ["email", "password"]);
      return form(c, state, back, status);
    }
  });
}

export function mountLogout({ services, serve, visitorOf }: Site): void {
  serve("POST", "/logout", async (c) => {
    const principal = await principalOf(c, services);
    if (principal) {
      const actor = { ...visitorOf(c).actor, userId: principal.user.id };
      await logOut(services, actor, principal.session.id);
    }
    return seeOther(c, "/login?notice=out", clearedCookies(c, services.config));
  });
}

export function mountRegister({ services, assets, serve, visitorOf }: Site): void {
  const open = services.config.registration;
  const form = (c: Context, state: FormState, status?: number) =>
    html(c, <RegisterPage assets={assets} state={state} open={open} />, status);
  serve("GET", "/register", (c) => form(c, {}));
  serve("POST", "/register", async (c) => {
    const sent = await readForm(c.req.raw);
    try {
      await register(visitorOf(c), confirmed(registration).parse(sent));
      return seeOther(c, "/login?notice=registered");
    } catch (thrown) {
      const fields = ["name", "email", "password", "confirmPassword"];
      const { state, status } = rejected(thrown, sent, fields);
      return form(c, state, status);
    }
  });
}

export function mountForgotPassword({ assets, serve, visitorOf }: Site): void {
  const form = (c: Context, state: FormState, status?: number) =>
    html(c, <ForgotPasswordPage assets={assets} state={state} />, status);
  serve("GET", "/forgot-password", (c) => form(c, {}));
  serve("POST", "/forgot-password", async (c) => {
    const sent = await readForm(c.req.raw);
    try {
      requestPasswordReset(visitorOf(c), forgotPasswordRequest.parse(sent).email);
      const notice = "If there is such an account, a mail with a link is on its way.";
      return form(c, { notice });
    } catch (thrown) {
      const { state, status } = rejected(thrown, sent, ["email"]);
      return form(c, state, status);
    }
  });
}

export function mountResetPassword({ assets, serve, visitorOf }: Site): void {
  const form = (c: Context, state: FormState, token = "", status?: number) =>
    html(c, <ResetPasswordPage assets={assets} state={state} token={token} />, status);
  serve("GET", "/reset-password", (c) => form(c, {}, c.req.query("token")));
  serve("POST", "/reset-password", async (c) => {
    const sent = await readForm(c.req.raw);
    try {
      await completePasswordReset(visitorOf(c), confirmed(resetPasswordRequest).parse(sent));
      return seeOther(c, "/login?notice=reset");
    } catch (thrown) {
      const { state, status } = rejected(thrown, sent, ["password", "confirmPassword"]);
      return form(c, state, sent.token, status);
    }
  });
}

/** The schema of a form whose password is typed twice. */
function confirmed<S extends z.ZodObject>(schema: S) {
  return schema.refine(
    (form) => (form as Record<string, unknown>).password === form.confirmPassword,
    {
      path: ["confirmPassword"],
      message: "The two passwords differ",
      when: ({ issues }) => issues.length === 0,
    },
  );
}

/** The form again, with what was wrong beside each of the fields it shows. */
function rejected(
  thrown: unknown,
  form: Readonly<Record<string, string>>,
  fields: readonly string[],
): { state: FormState; status: number } {
  const values = { name: form.name, email: form.email };
  const problem = thrown instanceof z.ZodError ? fromZod(thrown) : knownError(thrown);
  if (!problem) throw thrown;
  const shown = (problem.details ?? []).filter(({ field }) => fields.includes(field));
  const errors: Record<string, string> = {};
  for (const { field, message } of shown) errors[field] ??= sentence(message);
  if (thrown instanceof UniqueConflict && thrown.key === "email") {
    errors.email = "There is an account with this e-mail already";
  }
  if (Object.keys(errors).length === 0) errors[""] = problem.message;
  return { state: { values, errors }, status: problem.status };
}

/** What a schema found wrong, as the error that the API would answer with. */
export function fromZod(error: z.ZodError): ApiError {
  const details = error.issues.map(({ path, message }) => ({ field: path.join("."), message }));
  return new ApiError("VALIDATION_ERROR", "Some fields are missing or not valid", { details });
}

function sentence(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1);
}
