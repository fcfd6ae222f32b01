// Setting a password by a mailed link: a new one, or the first one of an account that an administrator has made.
import { useLocation } from "preact-iso/router";
import { resetPassword } from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { PasswordField } from "../../parts/field.tsx";
import { Form, useForm } from "../../parts/form.tsx";
import { LinkCard } from "./link_card.tsx";
import { texts } from "./texts.ts";
import { byToken } from "./token.ts";

export function SetPassword({ kind }: { readonly kind: "reset" | "invitation" }) {
  const { title, text } = texts()[kind];
  return (
    <LinkCard title={title} text={text} renewable>
      {(token) => <Fields kind={kind} token={token} />}
    </LinkCard>
  );
}

function Fields({ kind, token }: { kind: "reset" | "invitation"; token: string }) {
  const { [kind]: { action }, newPassword, problem } = texts();
  const { route } = useLocation();
  const form = useForm({
    initial: { password: "" },
    async submit({ password }) {
      await byToken(() => resetPassword({ body: { token, password, confirmPassword: password } }));
      route("/login?notice=reset", true);
    },
  });
  return (
    <Form form={form} problem={problem} guarded={false}>
      <PasswordField
        {...form.field("password")}
        label={newPassword}
        isNew
        autofocus
        required
      />
      <Button class="entry-wide" type="submit" kind="primary" busy={form.busy.value}>
        {action}
      </Button>
    </Form>
  );
}
