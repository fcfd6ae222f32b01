// The list of users.
import { useSignal } from "@preact/signals";
import { useCallback, useMemo, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { exportUsers, listUsers, type User } from "../../../client/mod.ts";
import { download } from "../../parts/csv.ts";
import { type Filter, listed, ListPage, loadList } from "../../parts/list_page.tsx";
import { NOTHING, type Selection } from "../../parts/selection.ts";
import { texts as common } from "../../parts/texts.ts";
import { useListState } from "../../state/address.ts";
import { language } from "../../state/language.ts";
import { useQuery } from "../../state/query.ts";
import { useRoleChoices } from "../../state/roles.ts";
import { can, user as self } from "../../state/session.ts";
import { tried } from "../../state/use_busy.ts";
import { type BulkAct, BulkDialog } from "./bulk_dialog.tsx";
import { userColumns } from "./columns.tsx";
import { CreateUser } from "./create.tsx";
import { ImportUsers } from "./import.tsx";
import { bulkActionsFor, rowActionsOf } from "./list_actions.ts";
import { statusChoices } from "./statuses.tsx";
import { texts } from "./texts.ts";

const FILTERS = [
  "status",
  "role",
  "department",
  "createdAt_gte",
  "createdAt_lte",
  "lastLoginAt_gte",
];

export default function Users() {
  const said = texts();
  const { route } = useLocation();
  const state = useListState({ sort: "-createdAt", filters: FILTERS });
  const users = useQuery(
    ["users", state.query, state.limit],
    (signal) => loadList(state, (query) => listUsers({ query, signal })),
  );
  const columns = useMemo(userColumns, [language.value, self.value?.id]);
  const filters = useFilters();
  const selection = useSignal<Selection>(NOTHING);
  const [open, setOpen] = useState<"create" | "import" | null>(null);
  const [bulk, setBulk] = useState<{ act: BulkAct; ids: readonly string[] } | null>(null);
  const rowActions = useCallback(
    (user: User) => rowActionsOf(user, (act, ids) => setBulk({ act, ids })),
    [language.value, self.value],
  );
  const actions = bulkActionsFor((act, ids) => setBulk({ act, ids }));

  return (
    <>
      <ListPage<User>
        list="users"
        title={said.title}
        state={state}
        {...listed(users)}
        columns={columns}
        rowId={({ id }) => id}
        rowName={({ name }) => name}
        onOpen={({ id }) => route(`/users/${id}`)}
        rowActions={rowActions}
        selection={actions ? selection : undefined}
        bulkActions={actions}
        filters={filters}
        search={said.search}
        create={can("users:create") ? { label: said.add, run: () => setOpen("create") } : undefined}
        importing={can("users:create") ? () => setOpen("import") : undefined}
        moreActions={[{
          label: common().list.export,
          icon: "download",
          run: () => exportAll(state.query),
        }]}
        empty={{
          icon: "users",
          title: said.empty.title,
          text: can("users:create") && said.empty.text,
        }}
      />
      {open === "create" && <CreateUser onClose={() => setOpen(null)} />}
      {open === "import" && <ImportUsers onClose={() => setOpen(null)} />}
      {bulk && (
        <BulkDialog
          {...bulk}
          users={users.data?.rows ?? []}
          onClose={(done) => {
            setBulk(null);
            if (done) selection.value = NOTHING;
          }}
        />
      )}
    </>
  );
}

function useFilters(): readonly Filter[] {
  const roles = useRoleChoices();
  return useMemo(() => {
    const { fields, filters } = texts();
    return [
      { id: "status", label: fields.status, kind: "choice", options: statusChoices() },
      { id: "role", label: fields.role, kind: "choice", options: roles },
      { id: "department", label: fields.department, kind: "text" },
      { id: "createdAt_gte", label: filters.createdFrom, kind: "date" },
      { id: "createdAt_lte", label: filters.createdTo, kind: "date" },
      { id: "lastLoginAt_gte", label: filters.signedInFrom, kind: "date" },
    ];
  }, [language.value, roles]);
}

/** All that the filters match, as the server writes it. */
async function exportAll({ page: _, limit: __, ...query }: Readonly<Record<string, string>>) {
  await tried(async () => {
    const content = await exportUsers({ query: query as never, parseAs: "blob" });
    download("users.csv", content as unknown as Blob);
  });
}
