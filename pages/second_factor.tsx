// The pages of the second factor: its code at the sign-in, and setting up an authenticator.
import { raw } from "hono/html";
import { CardPage } from "./layout.tsx";
import { Field, Form, type FormState, type PageProps } from "./forms.tsx";

/** The field for a code. */
function Code({ state, label }: { state: FormState; label: string }) {
  return <Field name="code" label={label} autocomplete="one-time-code" autofocus state={state} />;
}

/** Asks for the code that ends a sign-in. */
export function ChallengePage(
  { assets, state, challenge, redirect }: PageProps & {
    readonly challenge: string;
    readonly redirect: string | null;
  },
) {
  return (
    <CardPage assets={assets} title="Second factor" lead="Your password is right. One thing more.">
      <Form action="/login/code" button="Continue" state={state}>
        <input type="hidden" name="challenge" value={challenge} />
        {redirect && <input type="hidden" name="redirect" value={redirect} />}
        <Code state={state} label="Code of your authenticator, or a recovery code" />
      </Form>
      <p class="links">
        <a href="/login">Begin anew</a>
      </p>
    </CardPage>
  );
}

/** Says how sign-ins are secured, and offers to set up an authenticator. */
export function SecondFactorPage(
  { assets, state, enabled, required }: PageProps & {
    readonly enabled: boolean;
    readonly required: boolean;
  },
) {
  return (
    <CardPage
      assets={assets}
      title="Second factor"
      lead={enabled
        ? "Sign-ins to your account take a code of your authenticator."
        : "With an authenticator, whoever has your password still cannot sign in."}
    >
      {required && !enabled && <p class="note">Your role asks for one: set it up to go on.</p>}
      <Form
        action="/second-factor"
        button={enabled ? "Set up another authenticator" : "Set up an authenticator"}
        state={state}
      />
      <p class="links">
        <a href="/dashboard">To the dashboard</a>
      </p>
    </CardPage>
  );
}

/** Shows the secret of an authenticator, and asks for its first code. */
export function SetupPage(
  { assets, state, setup }: PageProps & {
    readonly setup: { readonly secret: string; readonly qr: string };
  },
) {
  return (
    <CardPage
      assets={assets}
      title="Set up an authenticator"
      lead="Scan this with the application, or type the secret into it."
    >
      <div class="qr" role="img" aria-label="QR code of the secret">{raw(setup.qr)}</div>
      <p class="secret">
        <code>{setup.secret.match(/.{1,4}/g)!.join(" ")}</code>
      </p>
      <ConfirmForm state={state} />
    </CardPage>
  );
}

/** Asks again for the first code; the secret is shown once. */
export function ConfirmPage({ assets, state }: PageProps) {
  return (
    <CardPage assets={assets} title="Set up an authenticator">
      <ConfirmForm state={state} />
    </CardPage>
  );
}

function ConfirmForm({ state }: { state: FormState }) {
  return (
    <>
      <Form action="/second-factor/confirm" button="Confirm" state={state}>
        <Code state={state} label="The code that it shows" />
      </Form>
      <p class="links">
        <a href="/second-factor">Begin anew</a>
      </p>
    </>
  );
}

/** Shows new recovery codes, once. */
export function RecoveryCodesPage(
  { assets, codes }: Pick<PageProps, "assets"> & { readonly codes: readonly string[] },
) {
  return (
    <CardPage
      assets={assets}
      title="Your recovery codes"
      lead="The authenticator counts from now on. Each of these signs you in once without it. They are shown this once: keep them."
    >
      <ul class="codes">
        {codes.map((code) => (
          <li>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <p class="links">
        <a href="/dashboard">I have kept them</a>
      </p>
    </CardPage>
  );
}
