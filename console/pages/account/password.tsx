// Changing one's password.
import { changePassword } from "../../../client/mod.ts";
import { Card } from "../../parts/card.tsx";
import { PasswordField } from "../../parts/field.tsx";
import { Form, FormActions, useForm } from "../../parts/form.tsx";
import { refresh } from "../../state/query.ts";
import { user } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { securityTexts } from "./security_texts.ts";

const EMPTY = { currentPassword: "", newPassword: "" };

export function PasswordCard() {
  const said = securityTexts().password;
  const form = useForm({
    initial: EMPTY,
    async submit(values) {
      await changePassword({ body: { ...values, confirmPassword: values.newPassword } });
      form.reset(EMPTY);
      toast({ text: said.done });
      refresh("sessions");
    },
  });
  return (
    <Card title={said.title} text={said.text}>
      <Form form={form} label={said.title} problem={said.problem} guarded={false}>
        {/* For password managers, which keep a password by its user name. */}
        <input type="email" autocomplete="username" value={user.value?.email} readOnly hidden />
        <div class="columns">
          <PasswordField {...form.field("currentPassword")} label={said.current} required />
          <PasswordField {...form.field("newPassword")} label={said.fresh} isNew required />
        </div>
        <FormActions form={form} label={said.action} whenDirty />
      </Form>
    </Card>
  );
}
