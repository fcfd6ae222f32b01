// One's e-mail address: whether it is confirmed, and another in its place.
import { useState } from "preact/hooks";
import { resendVerification, updateCurrentUserByPatch, type User } from "../../../client/mod.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { PasswordField, TextField } from "../../parts/field.tsx";
import { Form, FormActions, useForm } from "../../parts/form.tsx";
import { Notice } from "../../parts/problem.tsx";
import { refresh } from "../../state/query.ts";
import { loadUser } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { attempt } from "./attempt.ts";
import { texts } from "./texts.ts";

export function EmailCard({ user }: { readonly user: User }) {
  const said = texts().email;
  const [changing, change] = useState(false);
  const [busy, work] = useState(false);

  async function resend() {
    work(true);
    await attempt(async () => {
      const { message } = await resendVerification() as { message?: string };
      if (message) toast({ kind: "info", text: message });
    });
    work(false);
  }

  return (
    <Card
      title={said.title}
      actions={<Button size="s" onClick={() => change(true)}>{said.change}</Button>}
    >
      <div class="stack stack-tight">
        <p class="row">
          <span dir="ltr">{user.email}</span>
          <Badge tone={user.emailVerified ? "good" : "warn"}>
            {user.emailVerified ? said.verified : said.unverified}
          </Badge>
        </p>
        {!user.emailVerified && (
          <Notice
            tone="warning"
            action={
              <Button size="s" busy={busy} onClick={() => void resend()}>{said.resend}</Button>
            }
          >
            {said.unverifiedText}
          </Notice>
        )}
      </div>
      <Dialog
        open={changing}
        size="s"
        title={said.dialog}
        text={said.dialogText}
        onClose={() => change(false)}
      >
        <Change onDone={() => change(false)} />
      </Dialog>
    </Card>
  );
}

function Change({ onDone }: { onDone: () => void }) {
  const said = texts().email;
  const form = useForm({
    initial: { email: "", currentPassword: "" },
    async submit(body) {
      const { message } = await updateCurrentUserByPatch({ body }) as { message?: string };
      if (message) toast({ kind: "info", text: message });
      refresh("users");
      await loadUser();
      onDone();
    },
  });
  return (
    <Form form={form} label={said.dialog} guarded={false}>
      <TextField
        {...form.field("email")}
        label={said.address}
        type="email"
        autocomplete="email"
        autofocus
        technical
        required
      />
      <PasswordField {...form.field("currentPassword")} label={said.password} required />
      <FormActions form={form} label={said.action} onCancel={onDone} />
    </Form>
  );
}
