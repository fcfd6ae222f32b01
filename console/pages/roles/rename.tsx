// What a role is called.
import { type Role, updateRole } from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { ConflictDialog, useVersionedForm, type Versioned } from "../../parts/conflict.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { TextArea, TextField } from "../../parts/field.tsx";
import { Form } from "../../parts/form.tsx";
import { texts as common } from "../../parts/texts.ts";
import { refresh } from "../../state/query.ts";
import { toast } from "../../state/toasts.ts";
import { readRole } from "./read.ts";
import { texts } from "./texts.ts";

const FORM = "rename-role";

interface Values {
  readonly label: string;
  readonly name: string;
  readonly description: string;
}

const valuesOf = ({ label, name, description = "" }: Role): Values => ({
  label,
  name,
  description,
});

export function RenameRole({ record, onClose }: { record: Versioned<Role>; onClose: () => void }) {
  const { role: said, fields, create } = texts();
  const { id, builtIn, userCount } = record.data;
  const nameStays = builtIn || userCount > 0;
  const edited = useVersionedForm<Role, Values>({
    record,
    valuesOf,
    read: () => readRole(id),
    async save({ label, name, description }, etag) {
      await updateRole({
        path: { id },
        body: { label, description: description || null, ...(nameStays ? {} : { name }) },
        headers: { "If-Match": etag },
      });
      refresh("roles", "users");
      toast({ text: said.renamed });
      onClose();
    },
  });
  const { form } = edited;
  return (
    <Dialog
      open
      title={said.editTitle}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{common().cancel}</Button>
          <Button
            type="submit"
            form={FORM}
            kind="primary"
            busy={form.busy.value}
            disabled={!form.dirty.value}
          >
            {common().save}
          </Button>
        </>
      }
    >
      <Form form={form} id={FORM} label={said.editTitle}>
        <TextField label={fields.label} required autofocus {...form.field("label")} />
        <TextField
          label={fields.name}
          hint={nameStays ? said.nameFixed : create.nameText}
          technical
          disabled={nameStays}
          {...form.field("name")}
        />
        <TextArea label={fields.description} rows={2} {...form.field("description")} />
      </Form>
      <ConflictDialog
        edited={edited}
        fields={[
          { name: "label", label: fields.label },
          { name: "name", label: fields.name },
          { name: "description", label: fields.description },
        ]}
      />
    </Dialog>
  );
}
