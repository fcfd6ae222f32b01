// A new role: empty, or with the permissions of another one.
import { useLocation } from "preact-iso/router";
import { createRole, type Role } from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { TextArea, TextField } from "../../parts/field.tsx";
import { Form, useForm } from "../../parts/form.tsx";
import { texts as common } from "../../parts/texts.ts";
import { refresh } from "../../state/query.ts";
import { roleLabel } from "../../state/roles.ts";
import { toast } from "../../state/toasts.ts";
import { roleDescription } from "./description.ts";
import { identifierOf } from "./identifier.ts";
import { texts } from "./texts.ts";

const FORM = "create-role";

interface CreateRoleProps {
  /** The role whose permissions it has. */
  from?: Role | undefined;
  onClose: () => void;
}

export function CreateRole({ from, onClose }: CreateRoleProps) {
  const { create, fields } = texts();
  const { route } = useLocation();
  const label = from ? create.copyOf(roleLabel(from.name, from.label)) : "";
  const form = useForm({
    initial: {
      label,
      name: identifierOf(from ? `${from.name} copy` : ""),
      description: from ? roleDescription(from) ?? "" : "",
    },
    check: ({ label, name }) => ({
      label: label.trim() ? undefined : create.required,
      name: name.trim() ? undefined : create.required,
    }),
    async submit(values) {
      const body = { ...values, permissions: [...from?.permissions ?? []] };
      const { data: role } = await createRole({ body });
      refresh("roles");
      toast({ text: create.created(role.label) });
      onClose();
      route(`/roles/${role.id}`);
    },
  });
  const named = form.field("label");
  return (
    <Dialog
      open
      title={from ? create.copyTitle(roleLabel(from.name, from.label)) : create.title}
      text={from ? create.copyText : create.text}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{common().cancel}</Button>
          <Button type="submit" form={FORM} kind="primary" busy={form.busy.value}>
            {create.submit}
          </Button>
        </>
      }
    >
      <Form form={form} id={FORM} label={create.title}>
        <TextField
          label={fields.label}
          required
          autofocus
          autocomplete="off"
          {...named}
          onChange={(next) => {
            // As long as nobody has written an identifier of their own, it follows the name.
            const follows = form.values.name.peek() === identifierOf(named.value);
            named.onChange(next);
            if (follows) form.set({ name: identifierOf(next) });
          }}
        />
        <TextField
          label={fields.name}
          hint={create.nameText}
          required
          technical
          autocomplete="off"
          {...form.field("name")}
        />
        <TextArea label={fields.description} rows={2} {...form.field("description")} />
      </Form>
    </Dialog>
  );
}
