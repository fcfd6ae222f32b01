// One role: what it opens, who has it.
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { deleteRole, type Role } from "../../../client/mod.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import type { Versioned } from "../../parts/conflict.tsx";
import { confirm } from "../../parts/dialog.tsx";
import { type Action, Menu } from "../../parts/menu.tsx";
import { Page } from "../../parts/page.tsx";
import { Notice, Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { texts as common } from "../../parts/texts.ts";
import { number } from "../../state/format.ts";
import { holds } from "../../state/permission_sets.ts";
import { deleting, refresh, useQuery } from "../../state/query.ts";
import { roleLabel } from "../../state/roles.ts";
import { can, permissions, user as self } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { tried } from "../../state/use_busy.ts";
import { useCatalogue } from "./catalogue.ts";
import { CreateRole } from "./create.tsx";
import { roleDescription } from "./description.ts";
import { Holders } from "./holders.tsx";
import { OwnPermissions } from "./own_permissions.tsx";
import { PermissionEditor } from "./permission_editor.tsx";
import { RenameRole } from "./rename.tsx";
import { readRole } from "./read.ts";
import { texts } from "./texts.ts";

export default function RolePage({ params }: { params: Readonly<Record<string, string>> }) {
  const { id = "" } = params;
  const { title, matrix } = texts();
  const found = useQuery(["roles", "one", id], (signal) => readRole(id, signal), { keep: false });
  const back = { label: title, href: "/roles" };
  if (found.data) return <Found key={id} record={found.data} back={back} />;
  return (
    <Page title={title} back={back}>
      {found.error
        ? <Problem error={found.error} retry={() => found.refetch()} busy={found.isFetching} />
        : (
          <Card title={matrix.label}>
            <Skeleton lines={14} />
          </Card>
        )}
    </Page>
  );
}

function Found(
  { record, back }: { record: Versioned<Role>; back: { label: string; href: string } },
) {
  const role = record.data;
  const said = texts();
  const { route } = useLocation();
  const [dialog, setDialog] = useState<"rename" | "copy" | null>(null);
  const catalogue = useCatalogue();
  const label = roleLabel(role.name, role.label);
  const reason = whyFixed(role);
  const actions = actionsOf(role, { route, open: setDialog });
  return (
    <Page
      title={label}
      back={back}
      text={roleDescription(role)}
      mark={
        <>
          <Badge tone={role.builtIn ? "neutral" : "accent"}>
            {role.builtIn ? said.builtIn : said.own}
          </Badge>
          <code class="muted">{role.name}</code>
        </>
      }
      actions={
        <>
          {actions.length > 0 && <Menu label={common().more} items={actions} align="end" />}
          {can("roles:update") && reason !== said.role.readOnly && (
            <Button
              icon="edit"
              onClick={() => setDialog("rename")}
            >
              {said.role.edit}
            </Button>
          )}
        </>
      }
    >
      {reason !== null && <Notice>{reason}</Notice>}
      <div class="role-page">
        <PermissionEditor
          record={record}
          catalogue={catalogue.data ?? []}
          loading={catalogue.isPending}
          fixed={reason !== null}
        />
        <div class="stack">
          <Holders role={role} />
          <OwnPermissions catalogue={catalogue.data ?? []} />
        </div>
      </div>
      {dialog === "rename" && <RenameRole record={record} onClose={() => setDialog(null)} />}
      {dialog === "copy" && <CreateRole from={role} onClose={() => setDialog(null)} />}
    </Page>
  );
}

/** Why one may not change what a role opens; null where one may. The server has the same rules. */
function whyFixed({ name, permissions: held }: Role): string | null {
  const said = texts().role;
  if (!can("roles:update")) return said.readOnly;
  if (name === "super_admin") return said.superAdmin;
  if (name === self.value?.role) return said.ownRole;
  const excess = held.find((one) => !holds(permissions.value, one));
  return excess === undefined ? null : said.notMine(excess);
}

function actionsOf(
  role: Role,
  { route, open }: { route: (path: string) => void; open: (dialog: "copy") => void },
): readonly Action[] {
  const said = texts().role;
  const actions: Action[] = [];
  if (can("roles:create")) {
    actions.push({ label: said.copy, icon: "copy", run: () => open("copy") });
  }
  if (can("roles:delete") && !role.builtIn) {
    actions.push({
      label: said.delete,
      icon: "trash",
      danger: true,
      parted: true,
      disabled: role.userCount > 0,
      ...(role.userCount > 0 ? { description: said.inUse(number(role.userCount)) } : {}),
      run: () => remove(role, route),
    });
  }
  return actions;
}

async function remove({ id, label }: Role, route: (path: string) => void) {
  const { deleteTitle, deleteText: text, delete: action, deleted } = texts().role;
  if (!await confirm({ title: deleteTitle(label), text, action, danger: true })) return;
  await tried(async () => {
    await deleting(["roles", "one", id], () => deleteRole({ path: { id } }));
    route("/roles");
    refresh("roles");
    toast({ text: deleted(label) });
  });
}
