// What was deleted: to be brought back, or to end for good.
import { useSignal } from "@preact/signals";
import { useCallback, useMemo } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { emptyTrash, listTrash, type TrashEntry } from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { confirm } from "../../parts/dialog.tsx";
import { type Filter, listed, ListPage, loadList } from "../../parts/list_page.tsx";
import type { Action } from "../../parts/menu.tsx";
import { NOTHING, type Selection } from "../../parts/selection.ts";
import { texts as common } from "../../parts/texts.ts";
import { useListState } from "../../state/address.ts";
import type { Bulk } from "../../state/batches.ts";
import { language } from "../../state/language.ts";
import { findPeople } from "../../state/people.ts";
import { refresh, useQuery } from "../../state/query.ts";
import { can, user } from "../../state/session.ts";
import { type Toast, toast } from "../../state/toasts.ts";
import { purgeMany, restoreMany } from "../../state/trash.ts";
import { tried, useBusy } from "../../state/use_busy.ts";
import { trashColumns } from "./columns.tsx";
import { texts } from "./texts.ts";

const FILTERS = ["kind", "ownerId", "createdAt_gte"];

export default function TrashPage() {
  const said = texts();
  const state = useListState({ sort: "-createdAt", filters: FILTERS });
  const selection = useSignal<Selection>(NOTHING);
  const entries = useQuery(
    ["trash", state.query, state.limit],
    (signal) => loadList(state, (query) => listTrash({ query, signal })),
  );
  const columns = useMemo(trashColumns, [language.value]);
  const filters = useMemo(filtersOf, [language.value, user.value]);
  const changes = can("documents:delete", "files:delete");
  const { route } = useLocation();
  const then: Then = { done: () => selection.value = NOTHING, open: route };
  const rowActions = useCallback((entry: TrashEntry) => actionsOf([entry], then), [language.value]);
  const chosen = (ids: readonly string[]) =>
    actionsOf(ids.map((id) => entries.data?.rows.find((row) => row.id === id) ?? { id }), then);
  return (
    <ListPage<TrashEntry>
      {...listed(entries)}
      list="trash"
      title={said.title}
      text={said.text}
      state={state}
      columns={columns}
      filters={filters}
      search={said.search}
      rowId={({ id }) => id}
      rowName={({ name }) => name}
      rowActions={changes ? rowActions : undefined}
      selection={changes ? selection : undefined}
      bulkActions={changes ? chosen : undefined}
      actions={changes && <EmptyTrash disabled={!entries.data?.total} />}
      exporting={{ name: "trash", read: (query) => listTrash({ query }) }}
      empty={{ icon: "trash", title: said.none, text: said.noneText }}
    />
  );
}

function filtersOf(): readonly Filter[] {
  const said = texts();
  const kinds = Object.entries(said.kinds).map(([value, label]) => ({ value, label }));
  const filters: Filter[] = [
    { id: "kind", label: said.kind, kind: "choice", options: kinds },
    { id: "createdAt_gte", label: said.deletedFrom, kind: "date" },
  ];
  if (can("users:view") && can("documents:*", "files:*")) {
    filters.push({ id: "ownerId", label: said.owner, kind: "person", load: findPeople() });
  }
  return filters;
}

interface Chosen extends Partial<Pick<TrashEntry, "name" | "kind">> {
  readonly id: string;
}

interface Then {
  readonly done: () => void;
  readonly open: (path: string) => void;
}

const PATHS: Readonly<Record<TrashEntry["kind"], string>> = {
  document: "/documents/",
  file: "/files/",
  folder: "/files?folder=",
};

/** Leads to what is back: where it was may be gone. */
function toOpen(chosen: readonly Chosen[], open: Then["open"]): Toast["action"] {
  const [{ id, kind } = { id: "" }] = chosen;
  if (!kind || chosen.length > 1) return undefined;
  return { label: common().open, run: () => open(PATHS[kind] + id) };
}

function actionsOf(chosen: readonly Chosen[], { done, open }: Then): readonly Action[] {
  const said = texts();
  const ids = chosen.map(({ id }) => id);
  const name = chosen.length === 1 ? chosen[0]!.name : undefined;
  const restored = (count: number) =>
    name !== undefined ? said.restoredOne(name) : said.restored(count);
  const purge = async () => {
    const yes = await confirm({
      title: name !== undefined ? said.purgeOneTitle(name) : said.purgeTitle(ids.length),
      text: said.purgeText,
      action: said.purge,
      danger: true,
    });
    if (yes) await carryOut(purgeMany, ids, said.purged, done);
  };
  return [
    {
      label: said.restore,
      icon: "restore",
      run: () => carryOut(restoreMany, ids, restored, done, toOpen(chosen, open)),
    },
    { label: said.purge, icon: "trash", danger: true, parted: true, run: purge },
  ];
}

async function carryOut(
  bulk: Bulk,
  ids: readonly string[],
  saidOf: (count: number) => string,
  done: () => void,
  action?: Toast["action"],
): Promise<void> {
  await tried(async () => {
    const { done: worked, refused } = await bulk(ids);
    if (worked.length > 0) toast({ text: saidOf(worked.length), action });
    if (refused.length > 0) {
      const reasons = new Set(refused.flatMap(({ message }) => message ?? []));
      const text = [`${texts().refused(refused.length)}.`, ...reasons].join(" ");
      toast({ kind: "error", text });
    }
    done();
  });
}

function EmptyTrash({ disabled }: { readonly disabled: boolean }) {
  const said = texts();
  const { busy, run } = useBusy();
  const empty = async () => {
    const yes = await confirm({
      title: said.emptyTitle,
      text: said.emptyText,
      action: said.empty,
      danger: true,
    });
    if (!yes) return;
    await run(async () => {
      const { data: { count } } = await emptyTrash();
      refresh("trash", "storage", "dashboard");
      toast({ text: said.emptied(count) });
    });
  };
  return (
    <Button icon="trash" busy={busy} disabled={disabled} onClick={() => void empty()}>
      {said.empty}
    </Button>
  );
}
