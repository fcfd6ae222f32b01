// A team's name, description and picture.
import { useLocation } from "preact-iso/router";
import { createTeam, getTeam, type Team, updateTeam, versioned } from "../../../client/mod.ts";
import { ConflictDialog, useVersionedForm, type Versioned } from "../../parts/conflict.tsx";
import { Drawer } from "../../parts/drawer.tsx";
import { TextArea, TextField } from "../../parts/field.tsx";
import { Form, FormActions, type FormState, useForm } from "../../parts/form.tsx";
import { refresh } from "../../state/query.ts";
import { toast } from "../../state/toasts.ts";
import { texts } from "./texts.ts";

const FORM = "team";

interface Values {
  readonly name: string;
  readonly description: string;
  readonly avatar: string;
}

const valuesOf = ({ name, description = "", avatar = "" }: Team): Values => ({
  name,
  description,
  avatar,
});

const check = ({ name }: Values) => ({ name: name.trim() ? undefined : texts().required });

export async function readTeam(id: string, signal?: AbortSignal): Promise<Versioned<Team>> {
  const answer = getTeam({ path: { id }, responseStyle: "fields", signal });
  const { data, etag } = await versioned(answer);
  return { data: data as unknown as Team, etag };
}

export function CreateTeam({ onClose }: { onClose: () => void }) {
  const { form: said } = texts();
  const { route } = useLocation();
  const form = useForm<Values>({
    initial: { name: "", description: "", avatar: "" },
    check,
    async submit({ name, description, avatar }) {
      const { data: team } = await createTeam({
        body: { name, ...(description ? { description } : {}), ...(avatar ? { avatar } : {}) },
      });
      refresh("teams");
      toast({ text: said.created(team.name) });
      onClose();
      route(`/teams/${team.id}`);
    },
  });
  return (
    <Drawer
      open
      title={said.create}
      text={said.ownerText}
      onClose={onClose}
      footer={<FormActions form={form} for={FORM} label={said.submit} onCancel={onClose} />}
    >
      <Fields form={form} label={said.create} />
    </Drawer>
  );
}

export function EditTeam({ record, onClose }: { record: Versioned<Team>; onClose: () => void }) {
  const { form: said, fields } = texts();
  const { id, name } = record.data;
  const edited = useVersionedForm<Team, Values>({
    record,
    valuesOf,
    check,
    read: () => readTeam(id),
    async save({ name, description, avatar }, etag) {
      await updateTeam({
        path: { id },
        body: { name, description: description || null, avatar: avatar || null },
        headers: { "If-Match": etag },
      });
      refresh("teams");
      toast({ text: said.saved });
      onClose();
    },
  });
  return (
    <Drawer
      open
      title={said.edit(name)}
      onClose={onClose}
      footer={<FormActions form={edited.form} for={FORM} whenDirty onCancel={onClose} />}
    >
      <Fields form={edited.form} label={said.edit(name)} />
      <ConflictDialog
        edited={edited}
        fields={[
          { name: "name", label: fields.name },
          { name: "description", label: fields.description },
          { name: "avatar", label: fields.avatar },
        ]}
      />
    </Drawer>
  );
}

function Fields({ form, label }: { form: FormState<Values>; label: string }) {
  const { fields, form: said } = texts();
  return (
    <Form form={form} id={FORM} label={label}>
      <TextField
        label={fields.name}
        required
        autofocus
        autocomplete="off"
        {...form.field("name")}
      />
      <TextArea label={fields.description} {...form.field("description")} />
      <TextField label={fields.avatar} hint={said.avatarText} technical {...form.field("avatar")} />
    </Form>
  );
}
