// The list of documents.
import { useSignal } from "@preact/signals";
import { useMemo, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { type DocumentSummary, exportDocuments, listDocuments } from "../../../client/mod.ts";
import { download } from "../../parts/csv.ts";
import { type Filter, listed, ListPage, loadList } from "../../parts/list_page.tsx";
import type { Action } from "../../parts/menu.tsx";
import { Refusals } from "../../parts/refusals.tsx";
import { NOTHING, type Selection } from "../../parts/selection.ts";
import { texts as common } from "../../parts/texts.ts";
import { useListState } from "../../state/address.ts";
import type { Refusal } from "../../state/batch_outcome.ts";
import { language } from "../../state/language.ts";
import { findPeople } from "../../state/people.ts";
import { useQuery } from "../../state/query.ts";
import { can, user } from "../../state/session.ts";
import { tried } from "../../state/use_busy.ts";
import { makeCopy, owns, removeDocuments } from "./actions.ts";
import { BulkDialog, type BulkKind } from "./bulk_dialog.tsx";
import { documentColumns } from "./columns.tsx";
import { CreateDocument } from "./create.tsx";
import { useTeams } from "./fields.tsx";
import { ImportDocuments } from "./import.tsx";
import { texts } from "./texts.ts";
import { typeChoices } from "./types.tsx";

const FILTERS = ["type", "folder", "tag", "ownerId", "teamId", "updatedAt_gte", "createdAt_gte"];

/** What is asked for by a dialog. */
type Asked =
  | { readonly kind: "create" | "import" }
  | { readonly kind: BulkKind; readonly ids: readonly string[] }
  | { readonly kind: "refused"; readonly refused: readonly Refusal[] };

export default function Documents() {
  const said = texts();
  const { route } = useLocation();
  const state = useListState({ sort: "-updatedAt", filters: FILTERS });
  const documents = useQuery(
    ["documents", state.query, state.limit],
    (signal) => loadList(state, (query) => listDocuments({ query, signal })),
  );
  const columns = useMemo(documentColumns, [language.value]);
  const filters = useFilters();
  const selection = useSignal<Selection>(NOTHING);
  const [asked, ask] = useState<Asked | null>(null);
  const rows = documents.data?.rows ?? [];
  const row = (id: string) => rows.find((one) => one.id === id);
  const remove = async (ids: readonly string[]) => {
    const outcome = await removeDocuments(ids);
    if (!outcome) return;
    selection.value = NOTHING;
    if (outcome.refused.length > 0) ask({ kind: "refused", refused: outcome.refused });
  };
  const rowActions = useMemo(() => (document: DocumentSummary) => {
    const own = owns(document);
    const actions: Action[] = [
      { label: common().open, icon: "external", href: `/documents/${document.id}` },
    ];
    if (can("documents:create")) {
      const run = () => makeCopy(document.id, (id) => route(`/documents/${id}`));
      actions.push({ label: said.copy, icon: "copy", run });
    }
    return [...actions, ...changesOf([document.id], { own, ask, remove })];
  }, [language.value, user.value]);
  const changing = can("documents:update", "documents:delete");
  return (
    <>
      <ListPage<DocumentSummary>
        {...listed(documents)}
        list="documents"
        title={said.title}
        state={state}
        columns={columns}
        rowId={({ id }) => id}
        rowName={({ title }) => title}
        onOpen={({ id }) => route(`/documents/${id}`)}
        rowActions={rowActions}
        selection={changing ? selection : undefined}
        bulkActions={changing ? (ids) => changesOf(ids, { own: true, ask, remove }) : undefined}
        filters={filters}
        search={said.search}
        create={can("documents:create")
          ? { label: said.create, run: () => ask({ kind: "create" }) }
          : undefined}
        importing={can("documents:create") ? () => ask({ kind: "import" }) : undefined}
        moreActions={[{
          label: common().list.export,
          icon: "download",
          run: () => exportAll(state.query),
        }]}
        empty={{
          icon: "documents",
          title: said.none,
          text: can("documents:create") ? said.noneText : said.noneReadOnly,
        }}
      />
      {asked && (
        <Dialog
          asked={asked}
          folder={state.filters.folder ?? ""}
          row={row}
          onClose={(done) => {
            ask(null);
            if (done) selection.value = NOTHING;
          }}
        />
      )}
    </>
  );
}

/** @param props.onClose Told whether what is chosen is done with. */
function Dialog({ asked, folder, row, onClose }: {
  readonly asked: Asked;
  /** The one that is looked into. */
  readonly folder: string;
  readonly row: (id: string) => DocumentSummary | undefined;
  readonly onClose: (done?: boolean) => void;
}) {
  const nameOf = (id: string) => row(id)?.title;
  switch (asked.kind) {
    case "create":
      return <CreateDocument folder={folder} onClose={() => onClose()} />;
    case "import":
      return <ImportDocuments onClose={() => onClose()} />;
    case "refused":
      return (
        <Refusals
          title={texts().refusedTitle(asked.refused.length)}
          refused={asked.refused}
          nameOf={nameOf}
          onClose={() => onClose()}
        />
      );
    default:
      return (
        <BulkDialog
          {...asked}
          folder={commonFolder(asked.ids.map(row))}
          nameOf={nameOf}
          onClose={onClose}
        />
      );
  }
}

interface Way {
  readonly own: boolean;
  readonly ask: (asked: Asked) => void;
  readonly remove: (ids: readonly string[]) => unknown;
}

function changesOf(ids: readonly string[], { own, ask, remove }: Way): readonly Action[] {
  const said = texts();
  const actions: Action[] = [];
  if (can("documents:update")) {
    if (own) {
      actions.push({ label: said.move, icon: "folder", run: () => ask({ kind: "move", ids }) });
    }
    actions.push({ label: said.addTags, icon: "tag", run: () => ask({ kind: "tag", ids }) });
  }
  if (own && can("documents:delete")) {
    const run = () => remove(ids);
    actions.push({ label: said.delete, icon: "trash", danger: true, parted: true, run });
  }
  return actions;
}

/** The folder that all are in; empty where they are in several. */
function commonFolder(documents: readonly (DocumentSummary | undefined)[]): string {
  const folders = new Set(documents.map((document) => document?.folder ?? ""));
  return folders.size === 1 ? [...folders][0]! : "";
}

function useFilters(): readonly Filter[] {
  const teams = useTeams();
  return useMemo(() => {
    const { fields } = texts();
    const filters: Filter[] = [
      { id: "type", label: fields.type, kind: "choice", options: typeChoices() },
      { id: "folder", label: fields.folder, kind: "text" },
      { id: "tag", label: fields.tag, kind: "text" },
      { id: "updatedAt_gte", label: fields.changedFrom, kind: "date" },
      { id: "createdAt_gte", label: fields.createdFrom, kind: "date" },
    ];
    if (can("users:view")) {
      filters.push({ id: "ownerId", label: fields.owner, kind: "person", load: findPeople() });
    }
    if (teams.length > 0) {
      const options = teams.map(({ id, name }) => ({ value: id, label: name }));
      filters.push({ id: "teamId", label: fields.team, kind: "choice", options });
    }
    return filters;
  }, [language.value, teams, user.value]);
}

/** All that the filters match, as the server writes it. */
async function exportAll({ page: _, limit: __, ...query }: Readonly<Record<string, string>>) {
  await tried(async () => {
    const content = await exportDocuments({ query: query as never, parseAs: "blob" });
    download("documents.csv", content as unknown as Blob);
  });
}
