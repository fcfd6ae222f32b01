// The pages that links in mails open, and the one that asks for such a link.
import type { Assets } from "./layout.tsx";
import { CardPage } from "./layout.tsx";
import { Email, Field, Form, type FormState, NewPassword, type PageLink } from "./forms.tsx";

interface Props {
  readonly assets: Assets;
  readonly state: FormState;
  /** Link to where people sign in, or to what tells them where. */
  readonly signIn: PageLink;
}

interface LinkProps extends Props {
  /** Token from the link; empty when the link was not complete. */
  readonly token: string;
  /** Address of the account, where the link is good. */
  readonly email?: string;
}

function Links({ signIn, renew }: { signIn: PageLink; renew?: boolean }) {
  return (
    <p class="links">
      {renew && <a href="/forgot-password">Send a new link</a>}
      <a href={signIn.href}>{signIn.label}</a>
    </p>
  );
}

function IncompleteLink() {
  return <p class="note bad">This link is not complete: open the one in the mail again.</p>;
}

export function ForgotPasswordPage({ assets, state, signIn }: Props) {
  return (
    <CardPage
      assets={assets}
      title="Forgot your password?"
      lead="We send you a link that sets a new one. It is good for one hour."
    >
      <Form action="/forgot-password" button="Send the link" state={state}>
        <Email state={state} autofocus />
      </Form>
      <Links signIn={signIn} />
    </CardPage>
  );
}

/**
 * What each form of a link sends along. The address is for password managers, which keep a password by its user name
 * (WHATWG HTML, section 4.10.18.7, `username`); the server knows it by the token.
 */
function LinkFields({ token, email }: Pick<LinkProps, "token" | "email">) {
  return (
    <>
      <input type="hidden" name="token" value={token} />
      {email && (
        <input type="email" name="username" autocomplete="username" value={email} readonly hidden />
      )}
    </>
  );
}

/** Sets a password, the first one or a new one. */
export function SetPasswordPage(
  { assets, state, signIn, token, email, action, title, lead }: LinkProps & {
    readonly action: string;
    readonly title: string;
    readonly lead?: string;
  },
) {
  return (
    <CardPage assets={assets} title={title} lead={lead}>
      {token === ""
        ? <IncompleteLink />
        : (
          <Form action={action} button="Set password" state={state}>
            <LinkFields token={token} email={email} />
            <NewPassword state={state} />
          </Form>
        )}
      <Links signIn={signIn} renew />
    </CardPage>
  );
}

function AccountPassword({ state }: { state: FormState }) {
  return (
    <Field
      name="password"
      label="Password"
      type="password"
      autocomplete="current-password"
      state={state}
    />
  );
}

/** Confirms the address of an account that registered itself: with its password, or with a new one. */
export function VerifyEmailPage({ assets, state, signIn, token, email }: LinkProps) {
  const { newPassword, confirmPassword } = state.errors ?? {};
  const renewing = newPassword !== undefined || confirmPassword !== undefined;
  return (
    <CardPage
      assets={assets}
      title="Confirm your e-mail address"
      lead="Enter the password that you registered with."
    >
      {token === "" ? <IncompleteLink /> : (
        <>
          <Form action="/verify-email" button="Confirm" state={state}>
            <LinkFields token={token} email={email} />
            <AccountPassword state={state} />
          </Form>
          <details class="more" open={renewing}>
            <summary>It was not me, or I forgot the password</summary>
            <p class="hint">Set a new password. Whoever registered is signed out.</p>
            <Form
              action="/verify-email"
              button="Set password and confirm"
              state={{ ...state, errors: { newPassword, confirmPassword } }}
            >
              <LinkFields token={token} email={email} />
              <NewPassword state={state} name="newPassword" label="New password" />
            </Form>
          </details>
        </>
      )}
      <Links signIn={signIn} renew />
    </CardPage>
  );
}

/** Confirms the new address of an account. */
export function ConfirmEmailPage({ assets, state, signIn, token }: LinkProps) {
  return (
    <CardPage
      assets={assets}
      title="Confirm your new e-mail address"
      lead="Enter the password of your account. From then on you sign in with the new address."
    >
      {token === ""
        ? <IncompleteLink />
        : (
          <Form action="/confirm-email" button="Confirm" state={state}>
            <LinkFields token={token} />
            <AccountPassword state={state} />
          </Form>
        )}
      <Links signIn={signIn} />
    </CardPage>
  );
}

/** Says what was done, for variants without a log-in page that could say it. */
export function DonePage(
  { assets, message, signIn }: { assets: Assets; message: string; signIn: PageLink },
) {
  return (
    <CardPage assets={assets} title="Done">
      <p class="note good" role="status">{message}</p>
      <Links signIn={signIn} />
    </CardPage>
  );
}
