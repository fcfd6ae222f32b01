// Editing a user, beside what others may do to them at the same time.
import {
  getUser,
  listPermissions,
  updateUser,
  type UpdateUserRequest,
  type User,
  versioned,
} from "../../../client/mod.ts";
import { ConflictDialog, useVersionedForm, type Versioned } from "../../parts/conflict.tsx";
import { Drawer } from "../../parts/drawer.tsx";
import {
  type Choice,
  Combobox,
  PasswordField,
  Select,
  TextArea,
  TextField,
} from "../../parts/field.tsx";
import { Form, FormActions } from "../../parts/form.tsx";
import { Notice } from "../../parts/problem.tsx";
import { permissionName } from "../../state/permission_names.ts";
import { serves } from "../../state/place.ts";
import { refresh } from "../../state/query.ts";
import { roleLabel, useRoleChoices } from "../../state/roles.ts";
import { can, user as self } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { changesOf, type UserValues, valuesOf } from "./edit_values.ts";
import { type Status, statusChoices } from "./statuses.tsx";
import { detailTexts } from "./detail_texts.ts";
import { texts } from "./texts.ts";

const FORM = "edit-user";

export async function readUser(id: string, signal?: AbortSignal): Promise<Versioned<User>> {
  const answer = getUser({ path: { id }, responseStyle: "fields", signal });
  const { data, etag } = await versioned(answer);
  return { data: data as unknown as User, etag };
}

export function EditUser({ record, onClose }: { record: Versioned<User>; onClose: () => void }) {
  const { edit } = detailTexts();
  const { fields, statuses } = texts();
  const { id, name, role: present } = record.data;
  const own = id === self.value?.id;
  const edited = useVersionedForm<User, UserValues>({
    record,
    valuesOf,
    read: () => readUser(id),
    async save(values, etag, before) {
      const body = changesOf(values, before) as UpdateUserRequest;
      await updateUser({ path: { id }, body, headers: { "If-Match": etag } });
      refresh("users", "dashboard", "teams");
      toast({ text: edit.saved });
      onClose();
    },
  });
  const { form } = edited;
  const choices = useRoleChoices();
  const roles = choices.some(({ value }) => value === present)
    ? choices
    : [...choices, { value: present, label: roleLabel(present) }];

  return (
    <Drawer
      open
      title={edit.title(name)}
      onClose={onClose}
      footer={<FormActions form={form} for={FORM} whenDirty onCancel={onClose} />}
    >
      <Form form={form} id={FORM} label={edit.title(name)}>
        {own && <Notice>{edit.own}</Notice>}
        <TextField
          label={fields.name}
          required
          autofocus
          autocomplete="off"
          {...form.field("name")}
        />
        {!own && (
          <>
            <TextField
              label={fields.email}
              required
              type="email"
              dir="ltr"
              autocomplete="off"
              {...form.field("email")}
            />
            <div class="columns pair">
              <Select label={fields.role} options={roles} {...form.field("role")} />
              <Select<Status>
                label={fields.status}
                options={statusChoices()}
                {...form.field("status")}
              />
            </div>
            <OwnPermissions {...form.field("permissions")} />
          </>
        )}
        <div class="columns pair">
          <TextField label={fields.department} {...form.field("department")} />
          <TextField label={fields.position} {...form.field("position")} />
        </div>
        <div class="columns pair">
          <TextField
            label={fields.username}
            technical
            autocomplete="off"
            {...form.field("username")}
          />
          <TextField
            label={fields.phone}
            type="tel"
            dir="ltr"
            autocomplete="off"
            {...form.field("phone")}
          />
        </div>
        <Combobox
          {...single(form.field("timeZone"))}
          label={fields.timeZone}
          load={(search) => Promise.resolve(zones(search))}
        />
        <TextArea label={fields.bio} {...form.field("bio")} />
        {!own && (
          <PasswordField
            label={edit.newPassword}
            hint={edit.passwordText}
            isNew
            least={6}
            {...form.field("password")}
          />
        )}
      </Form>
      <ConflictDialog
        edited={edited}
        fields={[
          { name: "name", label: fields.name },
          { name: "email", label: fields.email },
          { name: "role", label: fields.role, show: (value) => roleLabel(value as string) },
          { name: "status", label: fields.status, show: (value) => statuses[value as Status] },
          {
            name: "permissions",
            label: fields.permissions,
            show: (value) => (value as readonly string[]).map(permissionName).join(", "),
          },
          { name: "department", label: fields.department },
          { name: "position", label: fields.position },
          { name: "username", label: fields.username },
          { name: "phone", label: fields.phone },
          { name: "timeZone", label: fields.timeZone },
          { name: "bio", label: fields.bio },
          { name: "password", label: edit.newPassword, show: (value) => value ? "••••••" : "" },
        ]}
      />
    </Drawer>
  );
}

/** A text as what a combobox holds. */
function single({ value, onChange, ...rest }: {
  name: string;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}) {
  return {
    ...rest,
    value: value ? [{ value, label: value.replaceAll("_", " ") }] : [],
    onChange: ([chosen]: readonly Choice[]) => onChange(chosen?.value ?? ""),
  };
}

/** Time zones by a part of their name, as many as one reads. */
function zones(search: string): readonly Choice[] {
  const wanted = search.toLowerCase().replaceAll(" ", "_");
  return Intl.supportedValuesOf("timeZone").filter((zone) => zone.toLowerCase().includes(wanted))
    .slice(0, 50).map((value) => ({ value, label: value.replaceAll("_", " ") }));
}

/** Permissions beside those of the role. */
function OwnPermissions({ value, onChange, ...field }: {
  name: string;
  value: readonly string[];
  error: string | undefined;
  onChange: (value: readonly string[]) => void;
}) {
  const { edit } = detailTexts();
  const { fields } = texts();
  if (!serves("permissions") || !can("permissions:view")) return null;
  return (
    <Combobox
      {...field}
      label={fields.permissions}
      hint={edit.permissionsText}
      multiple
      value={value.map(choiceOf)}
      onChange={(chosen) => onChange(chosen.map((one) => one.value))}
      load={async (search, signal) => {
        const { data } = await listPermissions({
          query: { limit: 100, sort: "name", ...(search ? { search } : {}) },
          signal,
        });
        return data.map(({ name }) => choiceOf(name));
      }}
    />
  );
}

function choiceOf(name: string): Choice {
  return { value: name, label: permissionName(name), description: name };
}
