// The list of roles.
import { useSignal } from "@preact/signals";
import { useCallback, useMemo, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { deleteRole, listRoles, type Permission, type Role } from "../../../client/mod.ts";
import { Badge } from "../../parts/badge.tsx";
import { type Filter, listed, ListPage, loadList } from "../../parts/list_page.tsx";
import type { Action } from "../../parts/menu.tsx";
import { NOTHING, type Selection } from "../../parts/selection.ts";
import type { Column } from "../../parts/table.tsx";
import { texts as common } from "../../parts/texts.ts";
import { Time } from "../../parts/time.tsx";
import { useBulkDeeds } from "../../parts/use_bulk_deeds.tsx";
import { useListState } from "../../state/address.ts";
import { alone } from "../../state/batches.ts";
import { number } from "../../state/format.ts";
import { language } from "../../state/language.ts";
import { reachOf } from "../../state/permission_sets.ts";
import { useQuery } from "../../state/query.ts";
import { roleLabel } from "../../state/roles.ts";
import { can } from "../../state/session.ts";
import { useCatalogue } from "./catalogue.ts";
import { CreateRole } from "./create.tsx";
import { roleDescription } from "./description.ts";
import { texts } from "./texts.ts";

const deleteMany = alone((id) => deleteRole({ path: { id } }));

export default function Roles() {
  const said = texts();
  const { route } = useLocation();
  const state = useListState({ sort: "createdAt", filters: ["builtIn"] });
  const roles = useQuery(
    ["roles", state.query, state.limit],
    (signal) => loadList(state, (query) => listRoles({ query, signal })),
  );
  const catalogue = useCatalogue().data;
  const columns = useMemo(() => columnsOf(catalogue ?? []), [language.value, catalogue]);
  const filters = useMemo(filtersOf, [language.value]);
  const [creating, setCreating] = useState<Role | "new" | null>(null);
  const rowActions = useCallback(
    (role: Role): readonly Action[] => [
      { label: common().open, icon: "external", href: `/roles/${role.id}` },
      ...(can("roles:create")
        ? [{ label: texts().role.copy, icon: "copy", run: () => setCreating(role) } as const]
        : []),
    ],
    [language.value],
  );
  const selection = useSignal<Selection>(NOTHING);
  const deeds = useBulkDeeds(selection, (id) => {
    const role = roles.data?.rows.find((one) => one.id === id);
    return role && roleLabel(role.name, role.label);
  });
  const deletes = can("roles:delete");
  const remove = (ids: readonly string[]) => {
    const { deleteTitle, deleteText: text, delete: action, deleted: told } = said.bulk;
    const question = { title: deleteTitle(ids.length), text, action, danger: true };
    return deeds.carryOut({ bulk: deleteMany, question, told, touches: ["roles"] }, ids);
  };
  return (
    <>
      <ListPage<Role>
        list="roles"
        title={said.title}
        state={state}
        {...listed(roles)}
        columns={columns}
        rowId={({ id }) => id}
        rowName={({ name, label }) => roleLabel(name, label)}
        onOpen={({ id }) => route(`/roles/${id}`)}
        rowActions={rowActions}
        selection={deletes ? selection : undefined}
        bulkActions={deletes
          ? (ids) => [
            { label: said.bulk.delete, icon: "trash", danger: true, run: () => remove(ids) },
          ]
          : undefined}
        filters={filters}
        search={said.search}
        create={can("roles:create")
          ? { label: said.add, run: () => setCreating("new") }
          : undefined}
        exporting={{ name: "roles", read: (query) => listRoles({ query }) }}
        empty={{ icon: "roles", title: said.empty.title, text: said.empty.text }}
      />
      {creating && (
        <CreateRole
          from={creating === "new" ? undefined : creating}
          onClose={() => setCreating(null)}
        />
      )}
      {deeds.dialogs}
    </>
  );
}

function filtersOf(): readonly Filter[] {
  const { filterBuiltIn, builtIn, own } = texts();
  const options = [{ value: "true", label: builtIn }, { value: "false", label: own }];
  return [{ id: "builtIn", label: filterBuiltIn, kind: "choice", options }];
}

function columnsOf(catalogue: readonly Permission[]): readonly Column<Role>[] {
  const { fields, builtIn, own } = texts();
  return [
    {
      id: "label",
      title: fields.label,
      sortable: true,
      width: "12rem",
      csv: ({ label }) => label,
      render: ({ name, label }) => <span class="strong cut">{roleLabel(name, label)}</span>,
    },
    {
      id: "name",
      title: fields.name,
      sortable: true,
      width: "10rem",
      csv: ({ name }) => name,
      render: ({ name }) => <code>{name}</code>,
    },
    {
      id: "description",
      title: fields.description,
      width: "12rem",
      csv: ({ description }) => description,
      render: (role) => <span class="muted cut">{roleDescription(role)}</span>,
    },
    {
      id: "permissions",
      title: fields.permissions,
      width: "9rem",
      align: "end",
      csv: ({ permissions }) => permissions.join(" "),
      render: ({ permissions }) => <Reach permissions={permissions} catalogue={catalogue} />,
    },
    {
      id: "userCount",
      title: fields.users,
      width: "6rem",
      align: "end",
      csv: ({ userCount }) => userCount,
      render: ({ userCount }) => <span class="number">{number(userCount)}</span>,
    },
    {
      id: "builtIn",
      title: fields.kind,
      width: "8rem",
      csv: (role) => role.builtIn ? builtIn : own,
      render: (role) =>
        role.builtIn ? <Badge>{builtIn}</Badge> : <Badge tone="accent">{own}</Badge>,
    },
    {
      id: "updatedAt",
      title: fields.updatedAt,
      sortable: true,
      width: "9rem",
      csv: ({ updatedAt }) => updatedAt,
      render: ({ updatedAt }) => <Time at={updatedAt} />,
    },
  ];
}

function Reach(
  { permissions, catalogue }: {
    permissions: readonly string[];
    catalogue: readonly Permission[];
  },
) {
  const { everything, reach } = texts();
  if (permissions.includes("*")) return <span>{everything}</span>;
  const { open, of } = reachOf(catalogue, permissions);
  return (
    <span class="number">
      {of === 0 ? number(permissions.length) : reach(number(open), number(of))}
    </span>
  );
}
