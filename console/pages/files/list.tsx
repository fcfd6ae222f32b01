// The files: places and folders beside a list or a grid.
import { useSignal } from "@preact/signals";
import { useCallback, useEffect, useMemo } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { exportFiles, type Folder, listFiles } from "../../../client/mod.ts";
import { download } from "../../parts/csv.ts";
import { listed, ListPage, loadList } from "../../parts/list_page.tsx";
import type { Action } from "../../parts/menu.tsx";
import { NOTHING, type Selection } from "../../parts/selection.ts";
import { texts as common } from "../../parts/texts.ts";
import { type ListState, useListState, useParameter } from "../../state/address.ts";
import { language } from "../../state/language.ts";
import { serves } from "../../state/place.ts";
import { useQuery } from "../../state/query.ts";
import { can, user as self } from "../../state/session.ts";
import { tried } from "../../state/use_busy.ts";
import { fileColumns, type FileRow } from "./columns.tsx";
import { useFileDialogs } from "./dialogs.tsx";
import { bulkActions, fileActions } from "./file_actions.ts";
import { useFolders } from "./folder_field.tsx";
import { useFolderDialogs } from "./folder_dialogs.tsx";
import { FileGrid } from "./grid.tsx";
import { addressOf, conditionsOf, everyFolder, isPlace } from "./places.ts";
import { placeNames, Side } from "./side.tsx";
import { texts } from "./texts.ts";
import { uploadTexts } from "./upload_texts.ts";
import { Trail } from "./trail.tsx";
import { uploads } from "./upload_state.ts";
import type { Chosen } from "./chosen.ts";
import { ChooseFiles, DropZone, useFolderChoice } from "./upload_ways.tsx";
import { UploadsPanel } from "./uploads_panel.tsx";
import { FILTERS, useFileFilters } from "./use_file_filters.ts";
import { gridShown } from "./view.ts";
import { ViewChoice } from "./view_choice.tsx";

export default function Files() {
  const said = texts();
  const { route } = useLocation();
  const [place] = useParameter("folder", "all");
  const state = useListState({ sort: "-updatedAt", filters: FILTERS });
  const conditions = conditionsOf(place, self.value?.id ?? "");
  const files = useFiles(state, conditions);
  const folders = useFolders();
  const tree = folders.data ?? [];
  const columns = useMemo(fileColumns, [language.value]);
  const filters = useFileFilters();
  const { selection, rowActions, onMany, dialog } = useFileDeeds(place);
  const folderDialogs = useFolderDialogs((folder: Folder) => {
    if (folder.id === place) route(addressOf(folder.parentId ?? "root"));
  });
  const { may: mayUpload, folderId, upload, folderChoice } = useUploading(place);
  const grid = gridShown.value;
  return (
    <DropZone
      class="file-room"
      target={mayUpload ? nameOf(folderId, tree) : null}
      onDropped={upload}
    >
      <Side
        folders={tree}
        place={place}
        actionsOf={folderDialogs.actionsOf}
        onCreate={can("files:create") ? () => folderDialogs.create(null) : undefined}
      />
      <ListPage<FileRow>
        list="files"
        title={said.title}
        state={state}
        {...listed(files)}
        columns={columns}
        rowId={({ id }) => id}
        rowName={({ name }) => name}
        onOpen={({ id }) => route(`/files/${id}`)}
        rowActions={rowActions}
        selection={selection}
        bulkActions={onMany}
        filters={filters}
        search={said.search}
        above={
          <Trail
            folders={serves("folders") && !folders.error ? folders.data : tree}
            place={place}
            actionsOf={folderDialogs.actionsOf}
            onCreate={can("files:create") && serves("folders")
              ? () => folderDialogs.create(folderId)
              : undefined}
          />
        }
        toolbar={<ViewChoice />}
        body={grid
          ? (parts) => (
            <FileGrid
              {...listed(files)}
              {...parts}
              selection={selection}
              actionsOf={rowActions}
              bulkActions={onMany}
            />
          )
          : undefined}
        actions={mayUpload && (
          <ChooseFiles kind="primary" onChosen={upload}>{uploadTexts().upload}</ChooseFiles>
        )}
        moreActions={moreActions(
          mayUpload && folderChoice.ask,
          () => exportAll(state.query, conditions),
        )}
        empty={{
          icon: "files",
          title: said.empty.title,
          text: mayUpload ? said.empty.text : said.empty.readOnly,
          action: mayUpload && <ChooseFiles onChosen={upload}>{uploadTexts().choose}</ChooseFiles>,
        }}
      />
      {dialog}
      {folderDialogs.dialog}
      {folderChoice.field}
      <UploadsPanel />
    </DropZone>
  );
}

type Conditions = ReturnType<typeof conditionsOf>;

function useFiles(state: ListState, conditions: Conditions) {
  return useQuery(
    ["files", state.query, state.limit, conditions],
    (signal) =>
      loadList<FileRow>(
        state,
        (query) => listFiles({ query: { ...conditions, ...query, include: ["owner"] }, signal }),
      ),
  );
}

/** What is done with files, one or many, and what is asked before it. */
function useFileDeeds(place: string) {
  const { route } = useLocation();
  const selection = useSignal<Selection>(NOTHING);
  const clear = () => void (selection.value = NOTHING);
  useEffect(clear, [place]);
  const { ask, dialog } = useFileDialogs(clear);
  const rowActions = useCallback(
    (file: FileRow): readonly Action[] => [
      {
        label: texts().actions.open,
        icon: "external",
        run: () => route(`/files/${file.id}`),
      },
      ...fileActions(file, { ask }),
    ],
    [language.value, self.value],
  );
  const onMany = (ids: readonly string[]) => bulkActions(ids, { ask, clear });
  return { selection, rowActions, onMany, dialog };
}

/** Uploading into the folder that is shown; at a place, such as the favorites, into none. */
function useUploading(place: string) {
  const folderId = isPlace(place) ? null : place;
  const upload = (chosen: readonly Chosen[]) => uploads.add(chosen, { folderId });
  const folderChoice = useFolderChoice(upload);
  return { may: can("files:create") && place !== "shared", folderId, upload, folderChoice };
}

/** What a folder is called; null is the top. */
function nameOf(folderId: string | null, tree: readonly Folder[]): string {
  if (folderId === null) return placeNames().root;
  return everyFolder(tree).find(({ id }) => id === folderId)?.name ?? texts().places.path;
}

/** @param askFolder Asks for a folder to upload; false where one may not. */
function moreActions(askFolder: false | (() => void), exporting: () => unknown): readonly Action[] {
  const actions: Action[] = [];
  if (askFolder && serves("folders")) {
    actions.push({ label: uploadTexts().uploadFolder, icon: "folder", run: askFolder });
  }
  if (serves("files")) {
    actions.push({ label: common().list.export, icon: "download", run: exporting });
  }
  return actions;
}

/** All that the filters match, as the server writes it. */
async function exportAll(
  { page: _, limit: __, ...query }: ListState["query"],
  conditions: Conditions,
) {
  await tried(async () => {
    const content = await exportFiles({
      query: { ...conditions, ...query } as never,
      parseAs: "blob",
    });
    download("files.csv", content as unknown as Blob);
  });
}
