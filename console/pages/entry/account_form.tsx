// Who one is and a new password: for registering, and for the first start.
import { Button } from "../../parts/button.tsx";
import { PasswordField, TextField } from "../../parts/field.tsx";
import { Form, useForm } from "../../parts/form.tsx";
import { texts } from "./texts.ts";

/** What the API takes. The password is typed once, where it can be looked at. */
export interface NewAccount {
  readonly name: string;
  readonly email: string;
  readonly password: string;
  readonly confirmPassword: string;
}

interface AccountFormProps {
  /** What the button says. */
  readonly action: string;
  /** What stands over an error of no field. */
  readonly problem: string;
  readonly submit: (account: NewAccount) => Promise<unknown>;
}

export function AccountForm({ action, problem, submit }: AccountFormProps) {
  const { name, email, password } = texts();
  const form = useForm({
    initial: { name: "", email: "", password: "" },
    submit: (values) => submit({ ...values, confirmPassword: values.password }),
  });
  return (
    <Form form={form} problem={problem} guarded={false}>
      <TextField {...form.field("name")} label={name} autocomplete="name" autofocus required />
      <TextField
        {...form.field("email")}
        label={email}
        type="email"
        autocomplete="username"
        technical
        required
      />
      <PasswordField {...form.field("password")} label={password} isNew required />
      <Button class="entry-wide" type="submit" kind="primary" busy={form.busy.value}>
        {action}
      </Button>
    </Form>
  );
}
