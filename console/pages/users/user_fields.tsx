// The fields of a user that is edited; of oneself, those that the account page has not are left out.
import { listPermissions } from "../../../client/mod.ts";
import {
  type Choice,
  Combobox,
  PasswordField,
  Select,
  TextArea,
  TextField,
} from "../../parts/field.tsx";
import type { FormState } from "../../parts/form.tsx";
import { Notice } from "../../parts/problem.tsx";
import { permissionName } from "../../state/permission_names.ts";
import { serves } from "../../state/place.ts";
import { roleLabel, useRoleChoices } from "../../state/roles.ts";
import { can } from "../../state/session.ts";
import { detailTexts } from "./detail_texts.ts";
import type { UserValues } from "./edit_values.ts";
import { type Status, statusChoices } from "./statuses.tsx";
import { texts } from "./texts.ts";

interface UserFieldsProps {
  form: FormState<UserValues>;
  /** Whether it is one's own account. */
  own: boolean;
  /** The role as it is stored: it can be kept, whatever roles one may give. */
  role: string;
}

export function UserFields({ form, own, role }: UserFieldsProps) {
  const { edit } = detailTexts();
  const { fields } = texts();
  return (
    <>
      {own && <Notice>{edit.own}</Notice>}
      <TextField
        label={fields.name}
        required
        autofocus
        autocomplete="off"
        {...form.field("name")}
      />
      {!own && <AccessFields form={form} role={role} />}
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
    </>
  );
}

/** What decides where somebody gets in, and what they may do there. */
function AccessFields({ form, role }: Pick<UserFieldsProps, "form" | "role">) {
  const { fields } = texts();
  const choices = useRoleChoices();
  const roles = choices.some(({ value }) => value === role)
    ? choices
    : [...choices, { value: role, label: roleLabel(role) }];
  return (
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
