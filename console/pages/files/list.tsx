// The files: places and folders beside a list or a grid.
import { useSignal } from "@preact/signals";
import { useCallback, useEffect, useMemo } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { exportFiles, type Folder, listFiles } from "../../../client/mod.ts";
import { ButtonGroup, IconButton } from "../../parts/button.tsx";
import { download } from "../../parts/csv.ts";
import { type Filter, listed, ListPage, loadList } from "../../parts/list_page.tsx";
import { NOTHING, type Selection } from "../../parts/selection.ts";
import { texts as common } from "../../parts/texts.ts";
import { type ListState, useListState, useParameter } from "../../state/address.ts";
import { language } from "../../state/language.ts";
import { findPeople } from "../../state/people.ts";
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
import { TYPES } from "./kinds.ts";
import { addressOf, conditionsOf, everyFolder, isPlace } from "./places.ts";
import { placeNames, Side } from "./side.tsx";
import { texts } from "./texts.ts";
import { uploadTexts } from "./upload_texts.ts";
import { Trail } from "./trail.tsx";
import { uploads } from "./upload_state.ts";
import type { Chosen } from "./chosen.ts";
import { ChooseFiles, DropZone, useFolderChoice } from "./upload_ways.tsx";
import { UploadsPanel } from "./uploads_panel.tsx";
import { gridShown, showGrid } from "./view.ts";

const FILTERS = ["type", "ownerId", "isFavorite", "createdAt_gte", "createdAt_lte"];

export default function Files() {
  const said = texts();
  const { route } = useLocation();
  const [place] = useParameter("folder", "all");
  const state = useListState({ sort: "-updatedAt", filters: FILTERS });
  const conditions = conditionsOf(place, self.value?.id ?? "");
  const files = useQuery(
    ["files", state.query, state.limit, conditions],
    (signal) =>
      loadList<FileRow>(
        state,
        (query) => listFiles({ query: { ...conditions, ...query, include: ["owner"] }, signal }),
      ),
  );
  const folders = useFolders();
  const tree = folders.data ?? [];
  const columns = useMemo(fileColumns, [language.value]);
  const filters = useFilters();
  const selection = useSignal<Selection>(NOTHING);
  const clear = () => void (selection.value = NOTHING);
  useEffect(clear, [place]);
  const { ask, dialog } = useFileDialogs(clear);
  const folderDialogs = useFolderDialogs((folder: Folder) => {
    if (folder.id === place) route(addressOf(folder.parentId ?? "root"));
  });
  const rowActions = useCallback(
    (file: FileRow) => [
      {
        label: texts().actions.open,
        icon: "external" as const,
        run: () => route(`/files/${file.id}`),
      },
      ...fileActions(file, { ask }),
    ],
    [language.value, self.value],
  );
  const onMany = (ids: readonly string[]) => bulkActions(ids, { ask, clear });

  const folderId = isPlace(place) ? null : place;
  const mayUpload = can("files:create") && place !== "shared";
  const upload = (chosen: readonly Chosen[]) => uploads.add(chosen, { folderId });
  const folderChoice = useFolderChoice(upload);
  const target = folderId === null
    ? placeNames().root
    : tree.length > 0
    ? nameIn(tree, folderId)
    : said.places.path;
  const grid = gridShown.value;
  return (
    <DropZone class="file-room" target={mayUpload ? target : null} onDropped={upload}>
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
        toolbar={
          <ButtonGroup label={said.view.label}>
            <IconButton
              icon="menu"
              kind="plain"
              label={said.view.list}
              aria-pressed={!grid}
              onClick={() => showGrid(false)}
            />
            <IconButton
              icon="dashboard"
              kind="plain"
              label={said.view.grid}
              aria-pressed={grid}
              onClick={() => showGrid(true)}
            />
          </ButtonGroup>
        }
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
        moreActions={[
          ...(mayUpload && serves("folders")
            ? [{
              label: uploadTexts().uploadFolder,
              icon: "folder" as const,
              run: folderChoice.ask,
            }]
            : []),
          ...(serves("files")
            ? [{
              label: common().list.export,
              icon: "download" as const,
              run: () => exportAll(state.query, conditions),
            }]
            : []),
        ]}
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

function nameIn(folders: readonly Folder[], id: string): string {
  return everyFolder(folders).find((folder) => folder.id === id)?.name ?? texts().places.path;
}

function useFilters(): readonly Filter[] {
  return useMemo(() => {
    const { fields, types, filters, yes } = texts();
    const options = TYPES.map((value) => ({ value, label: types[value] }));
    return [
      { id: "type", label: fields.type, kind: "choice", options },
      ...(can("users:view")
        ? [{
          id: "ownerId",
          label: fields.owner,
          kind: "person" as const,
          load: findPeople(),
        }]
        : []),
      {
        id: "isFavorite",
        label: fields.favorite,
        kind: "choice",
        options: [{ value: "true", label: yes }],
      },
      { id: "createdAt_gte", label: filters.createdFrom, kind: "date" },
      { id: "createdAt_lte", label: filters.createdTo, kind: "date" },
    ];
  }, [language.value, self.value]);
}

/** All that the filters match, as the server writes it. */
async function exportAll(
  { page: _, limit: __, ...query }: ListState["query"],
  conditions: Readonly<Record<string, string>>,
) {
  await tried(async () => {
    const content = await exportFiles({
      query: { ...conditions, ...query } as never,
      parseAs: "blob",
    });
    download("files.csv", content as unknown as Blob);
  });
}
