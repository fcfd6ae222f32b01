// Confirming the address of an account that registered itself: by its password, or by a new one for whoever has the mail
// but did not register.
import { useLocation } from "preact-iso/router";
import { verifyEmail } from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { PasswordField } from "../../parts/field.tsx";
import { Form, useForm } from "../../parts/form.tsx";
import { LinkCard } from "./link_card.tsx";
import { texts } from "./texts.ts";
import { byToken } from "./token.ts";

export default function Verify() {
  const { title, text } = texts().verify;
  return (
    <LinkCard title={title} text={text} renewable>
      {(token) => (
        <>
          <ByPassword token={token} />
          <ByNewPassword token={token} />
        </>
      )}
    </LinkCard>
  );
}

const DONE = "/login?notice=verified";

function ByPassword({ token }: { token: string }) {
  const { verify: { action }, password, problem } = texts();
  const { route } = useLocation();
  const form = useForm({
    initial: { password: "" },
    async submit({ password }) {
      await byToken(() => verifyEmail({ body: { token, password } }));
      route(DONE, true);
    },
  });
  return (
    <Form form={form} problem={problem} guarded={false}>
      <PasswordField {...form.field("password")} label={password} autofocus required />
      <Button class="entry-wide" type="submit" kind="primary" busy={form.busy.value}>
        {action}
      </Button>
    </Form>
  );
}

function ByNewPassword({ token }: { token: string }) {
  const { verify: { other, otherText, otherAction }, newPassword, problem } = texts();
  const { route } = useLocation();
  const form = useForm({
    initial: { newPassword: "" },
    async submit({ newPassword }) {
      await byToken(() =>
        verifyEmail({ body: { token, newPassword, confirmPassword: newPassword } })
      );
      route(DONE, true);
    },
  });
  return (
    <details class="entry-more">
      <summary>{other}</summary>
      <p class="muted small">{otherText}</p>
      <Form form={form} problem={problem} guarded={false}>
        <PasswordField {...form.field("newPassword")} label={newPassword} isNew required />
        <Button class="entry-wide" type="submit" busy={form.busy.value}>{otherAction}</Button>
      </Form>
    </details>
  );
}
