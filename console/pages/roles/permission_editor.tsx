// The permissions of a role, chosen in a matrix and saved together.
import { type Permission, type Role, setRolePermissions } from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { ConflictDialog, useVersionedForm, type Versioned } from "../../parts/conflict.tsx";
import { Form } from "../../parts/form.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { useKeptFocus } from "../../parts/use_kept_focus.ts";
import { number } from "../../state/format.ts";
import { permissionName } from "../../state/permission_names.ts";
import { changesBetween, reachOf } from "../../state/permission_sets.ts";
import { refresh } from "../../state/query.ts";
import { toast } from "../../state/toasts.ts";
import { PermissionMatrix } from "./matrix.tsx";
import { readRole } from "./read.ts";
import { texts } from "./texts.ts";
import { useFollow } from "./use_follow.ts";

interface PermissionEditorProps {
  record: Versioned<Role>;
  catalogue: readonly Permission[];
  loading: boolean;
  /** Whether it is to be looked at only. */
  fixed: boolean;
}

interface Values {
  readonly permissions: readonly string[];
}

const valuesOf = ({ permissions }: Role): Values => ({ permissions });

export function PermissionEditor({ record, catalogue, loading, fixed }: PermissionEditorProps) {
  const { matrix, role: said, fields } = texts();
  const { id } = record.data;
  const edited = useVersionedForm<Role, Values>({
    record,
    valuesOf,
    read: () => readRole(id),
    async save({ permissions }, etag) {
      await setRolePermissions({
        path: { id },
        body: { permissions: [...permissions] },
        headers: { "If-Match": etag },
      });
      edited.follow(await readRole(id));
      refresh("roles", "users");
      toast({ text: said.saved });
    },
  });
  const { form } = edited;
  // What others save shows at once, as long as nothing is chosen here.
  useFollow(record, edited);
  const kept = useKeptFocus<HTMLDivElement>();
  const held = form.values.permissions.value;
  const { open, of } = reachOf(catalogue, held);
  const { added, removed } = changesBetween(record.data.permissions, held);
  return (
    <Card
      title={fields.permissions}
      text={of > 0 ? matrix.reach(number(open), number(of)) : undefined}
      flush
    >
      {loading
        ? (
          <div class="matrix-all">
            <Skeleton lines={14} />
          </div>
        )
        : (
          <Form form={form} label={matrix.label} class="matrix-form">
            <div class="matrix-inside" {...kept}>
              <PermissionMatrix
                catalogue={catalogue}
                held={held}
                before={record.data.permissions}
                fixed={fixed}
                onChange={(permissions) => form.set({ permissions })}
              />
              {form.dirty.value && (
                <div class="matrix-bar" role="status">
                  <span>{matrix.changes(added.length, removed.length)}</span>
                  <span class="row">
                    <Button onClick={() => form.reset()}>{matrix.discard}</Button>
                    <Button type="submit" kind="primary" busy={form.busy.value}>
                      {matrix.save}
                    </Button>
                  </span>
                </div>
              )}
            </div>
          </Form>
        )}
      <ConflictDialog
        edited={edited}
        fields={[{
          name: "permissions",
          label: fields.permissions,
          show: (value) => <PermissionNames names={value} />,
        }]}
      />
    </Card>
  );
}

function PermissionNames({ names }: { names: readonly string[] }) {
  return (
    <ul>
      {names.toSorted().map((name) => <li key={name}>{permissionName(name)}</li>)}
    </ul>
  );
}
