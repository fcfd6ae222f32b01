// Adding a user: invited by mail, or with a password that an administrator chooses.
import { useLocation } from "preact-iso/router";
import { createUser } from "../../../client/mod.ts";
import { Drawer } from "../../parts/drawer.tsx";
import { PasswordField, RadioGroup, Select, TextField } from "../../parts/field.tsx";
import { Form, FormActions, useForm } from "../../parts/form.tsx";
import { refresh } from "../../state/query.ts";
import { useRoleChoices } from "../../state/roles.ts";
import { toast } from "../../state/toasts.ts";
import { texts } from "./texts.ts";

const FORM = "create-user";

type Way = "invite" | "password";

export function CreateUser({ onClose }: { onClose: () => void }) {
  const { create, fields } = texts();
  const roles = useRoleChoices();
  const form = useNewUser(onClose);
  const way = form.values.way.value;
  return (
    <Drawer
      open
      title={create.title}
      onClose={onClose}
      footer={<FormActions form={form} for={FORM} label={create.submit} onCancel={onClose} />}
    >
      <Form form={form} id={FORM} label={create.title}>
        <TextField
          label={fields.name}
          required
          autofocus
          autocomplete="off"
          {...form.field("name")}
        />
        <TextField
          label={fields.email}
          required
          type="email"
          dir="ltr"
          autocomplete="off"
          {...form.field("email")}
        />
        <Select
          label={fields.role}
          hint={create.roleText}
          options={roles}
          {...form.field("role")}
        />
        <RadioGroup
          label={create.access}
          options={[
            { value: "invite", label: create.invite, description: create.inviteText },
            { value: "password", label: create.withPassword, description: create.withPasswordText },
          ]}
          {...form.field("way")}
        />
        {way === "password" && (
          <PasswordField
            label={fields.password}
            isNew
            least={6}
            required
            {...form.field("password")}
          />
        )}
        <TextField label={fields.department} {...form.field("department")} />
        <TextField label={fields.position} {...form.field("position")} />
      </Form>
    </Drawer>
  );
}

/** What the form asks for, and adding who it describes. */
function useNewUser(onAdded: () => void) {
  const { create } = texts();
  const { route } = useLocation();
  return useForm({
    initial: {
      name: "",
      email: "",
      role: "user",
      department: "",
      position: "",
      way: "invite" as Way,
      password: "",
    },
    check: ({ name, email, way, password }) => ({
      name: name.trim() ? undefined : create.required,
      email: email.trim() ? undefined : create.required,
      password: way === "invite" || password ? undefined : create.required,
    }),
    async submit({ way, password, department, position, ...values }) {
      const { data: user } = await createUser({
        body: {
          ...values,
          ...(department.trim() ? { department } : {}),
          ...(position.trim() ? { position } : {}),
          ...(way === "password" ? { password } : {}),
        },
      });
      refresh("users", "dashboard");
      toast({
        text: way === "invite" ? create.invited(user.email) : create.created(user.name),
        action: { label: create.open, run: () => route(`/users/${user.id}`) },
      });
      onAdded();
    },
  });
}
