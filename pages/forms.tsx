// Parts of forms, and the forms for signing in: errors stand next to their fields, and no password is ever sent back.
import type { Child } from "hono/jsx";
import { type Assets, CardPage } from "./layout.tsx";

/** What was sent and what is wrong with it. */
export interface FormState {
  /** What was sent, by field; passwords are never among it. */
  readonly values?: Readonly<Record<string, string | undefined>>;
  /** What is wrong, by field; under "" stands what concerns the whole form. */
  readonly errors?: Readonly<Record<string, string | undefined>>;
  /** Good news from the page before. */
  readonly notice?: string;
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly type?: "text" | "email" | "password";
  readonly autocomplete: string;
  readonly hint?: string;
  readonly minlength?: number;
  readonly autofocus?: boolean;
  readonly state: FormState;
}

export function Field(props: FieldProps) {
  const { name, label, type = "text", hint, state } = props;
  const error = state.errors?.[name];
  const describedBy = error ? `${name}-error` : hint ? `${name}-hint` : undefined;
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        type={type}
        required
        autocomplete={props.autocomplete}
        autofocus={props.autofocus}
        minlength={props.minlength}
        maxlength={type === "password" ? 128 : 254}
        value={type === "password" ? undefined : state.values?.[name]}
        aria-invalid={error ? "true" : undefined}
        aria-describedby={describedBy}
      />
      {error
        ? <p class="error" id={`${name}-error`}>{error}</p>
        : hint && <p class="hint" id={`${name}-hint`}>{hint}</p>}
    </div>
  );
}

function Messages({ state }: { state: FormState }) {
  const error = state.errors?.[""];
  return (
    <>
      {state.notice && <p class="note good" role="status">{state.notice}</p>}
      {error && <p class="note bad" role="alert">{error}</p>}
    </>
  );
}

export function Form(
  { action, button, state, children }: {
    action: string;
    button: string;
    state: FormState;
    children?: Child;
  },
) {
  return (
    <form method="post" action={action} class="stack">
      <Messages state={state} />
      {children}
      <button class="button" type="submit">{button}</button>
    </form>
  );
}

export interface PageProps {
  readonly assets: Assets;
  readonly state: FormState;
}

export function Email({ state, autofocus }: { state: FormState; autofocus?: boolean }) {
  return (
    <Field
      name="email"
      label="E-mail"
      type="email"
      autocomplete="username"
      autofocus={autofocus}
      state={state}
    />
  );
}

export function NewPassword(
  { state, name = "password", label = "Password" }: {
    state: FormState;
    name?: string;
    label?: string;
  },
) {
  return (
    <>
      <Field
        name={name}
        label={label}
        type="password"
        autocomplete="new-password"
        hint="At least 6 characters"
        minlength={6}
        state={state}
      />
      <Field
        name="confirmPassword"
        label="Password again"
        type="password"
        autocomplete="new-password"
        minlength={6}
        state={state}
      />
    </>
  );
}

/** A link from one page to another. */
export interface PageLink {
  readonly href: string;
  readonly label: string;
}

export function LoginPage(
  { assets, state, redirect, registration, providers }: PageProps & {
    /** Local path to go to after the sign-in; null: the usual page. */
    readonly redirect: string | null;
    /** Whether anyone may register. */
    readonly registration: boolean;
    /** Where people may sign in instead. */
    readonly providers: readonly PageLink[];
  },
) {
  return (
    <CardPage assets={assets} title="Log in" lead="Welcome back.">
      <Form action="/login" button="Log in" state={state}>
        {redirect && <input type="hidden" name="redirect" value={redirect} />}
        <Email state={state} autofocus />
        <Field
          name="password"
          label="Password"
          type="password"
          autocomplete="current-password"
          state={state}
        />
      </Form>
      {providers.map(({ href, label }) => <a key={href} class="button" href={href}>{label}</a>)}
      <p class="links">
        <a href="/forgot-password">Forgot your password?</a>
        {registration && <a href="/register">Create an account</a>}
      </p>
    </CardPage>
  );
}

export function RegisterPage({ assets, state, open }: PageProps & { readonly open: boolean }) {
  return (
    <CardPage assets={assets} title="Create an account">
      {open
        ? (
          <Form action="/register" button="Create account" state={state}>
            <Field
              name="name"
              label="Name"
              autocomplete="name"
              minlength={2}
              autofocus
              state={state}
            />
            <Email state={state} />
            <NewPassword state={state} />
          </Form>
        )
        : <p class="note">Registration is closed: ask an administrator for an account.</p>}
      <p class="links">
        <a href="/login">I have an account</a>
      </p>
    </CardPage>
  );
}

/** What went wrong, for a person. */
export function ErrorPage(
  { assets, title, message, home }: {
    assets: Assets;
    title: string;
    message: string;
    home: PageLink;
  },
) {
  return (
    <CardPage assets={assets} title={title}>
      <p class="lead">{message}</p>
      <p class="links">
        <a href={home.href}>{home.label}</a>
      </p>
    </CardPage>
  );
}
