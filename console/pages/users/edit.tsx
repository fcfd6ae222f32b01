// Editing a user, beside what others may do to them at the same time.
import {
  getUser,
  updateUser,
  type UpdateUserRequest,
  type User,
  versioned,
} from "../../../client/mod.ts";
import {
  ConflictDialog,
  type ConflictField,
  useVersionedForm,
  type Versioned,
} from "../../parts/conflict.tsx";
import { Drawer } from "../../parts/drawer.tsx";
import { Form, FormActions } from "../../parts/form.tsx";
import { permissionName } from "../../state/permission_names.ts";
import { refresh } from "../../state/query.ts";
import { roleLabel } from "../../state/roles.ts";
import { user as self } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { changesOf, type UserValues, valuesOf } from "./edit_values.ts";
import type { Status } from "./statuses.tsx";
import { detailTexts } from "./detail_texts.ts";
import { texts } from "./texts.ts";
import { UserFields } from "./user_fields.tsx";

const FORM = "edit-user";

export async function readUser(id: string, signal?: AbortSignal): Promise<Versioned<User>> {
  const answer = getUser({ path: { id }, responseStyle: "fields", signal });
  const { data, etag } = await versioned(answer);
  return { data: data as unknown as User, etag };
}

export function EditUser({ record, onClose }: { record: Versioned<User>; onClose: () => void }) {
  const { edit } = detailTexts();
  const { id, name, role } = record.data;
  const edited = useEditedUser(record, onClose);
  const { form } = edited;
  const own = id === self.value?.id;
  return (
    <Drawer
      open
      title={edit.title(name)}
      onClose={onClose}
      footer={<FormActions form={form} for={FORM} whenDirty onCancel={onClose} />}
    >
      <Form form={form} id={FORM} label={edit.title(name)}>
        <UserFields form={form} own={own} role={role} />
      </Form>
      <ConflictDialog edited={edited} fields={conflictFields()} />
    </Drawer>
  );
}

function useEditedUser(record: Versioned<User>, onSaved: () => void) {
  const { id } = record.data;
  return useVersionedForm<User, UserValues>({
    record,
    valuesOf,
    read: () => readUser(id),
    async save(values, etag, before) {
      const body = changesOf(values, before) as UpdateUserRequest;
      await updateUser({ path: { id }, body, headers: { "If-Match": etag } });
      refresh("users", "dashboard", "teams");
      toast({ text: detailTexts().edit.saved });
      onSaved();
    },
  });
}

/** What can be told apart, where somebody else has changed the user meanwhile. */
function conflictFields(): readonly ConflictField<UserValues>[] {
  const { edit } = detailTexts();
  const { fields, statuses } = texts();
  return [
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
  ];
}
