// Parts of forms: errors stand next to their fields, and no password is ever sent back.
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
