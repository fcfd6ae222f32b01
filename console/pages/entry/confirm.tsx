// Confirming the new address of an account, from the link that was mailed there.
import { useLocation } from "preact-iso/router";
import { confirmEmail } from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { PasswordField } from "../../parts/field.tsx";
import { Form, useForm } from "../../parts/form.tsx";
import { loadUser } from "../../state/session.ts";
import { LinkCard } from "./link_card.tsx";
import { texts } from "./texts.ts";
import { byToken } from "./token.ts";

export default function Confirm() {
  const { title, text } = texts().confirm;
  return (
    <LinkCard title={title} text={text}>
      {(token) => <Fields token={token} />}
    </LinkCard>
  );
}

function Fields({ token }: { token: string }) {
  const { confirm: { action }, password, problem } = texts();
  const { route } = useLocation();
  const form = useForm({
    initial: { password: "" },
    async submit({ password }) {
      await byToken(() => confirmEmail({ body: { token, password } }));
      // Where the session of this browser goes on, it shows the new address.
      await loadUser().catch(() => {});
      route("/login?notice=moved", true);
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
