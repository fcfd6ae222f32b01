// Files as they are shown, and who may do what with them.
import type { Settings } from "../../config/settings.ts";
import { forbidden, notFound } from "../../core/errors.ts";
import { type JsonText, rememberedView } from "../../core/json.ts";
import { type File, files, publicFile } from "../../models/files.ts";
import { meets } from "../../storage/memory/column.ts";
import type { Store, Where } from "../../storage/port.ts";
import { parseWhere } from "../../storage/query.ts";
import { manages, type Principal } from "../access/access.ts";
import { folderPaths, reachesFoldersOf } from "./folders.ts";
import { sha256 } from "../../core/hashing.ts";
import { type Level, levelOf, reaches, visible } from "../access/visibility.ts";

type Source = Pick<Store, "from">;

/** The path of the folder a file is in; null for callers who may not know it: the folders of others are not shown. */
type Place = string | null;

type View = (file: File, place: Place) => JsonText;

const views = new WeakMap<Settings, View>();

function viewOf(settings: Settings): View {
  let view = views.get(settings);
  if (!view) {
    view = rememberedView(publicFile, (file: File, place: Place) => ({
      ...file,
      path: `${place ?? ""}/${file.name}`,
      folderId: place === null ? undefined : file.folderId,
      url: `${settings.basePath}/files/${file.id}/download`,
    }));
    views.set(settings, view);
  }
  return view;
}

async function placesOf(
  source: Source,
  principal: Principal,
  shown: readonly File[],
): Promise<Place[]> {
  const known = shown.filter((file) => reachesFoldersOf(principal, file.ownerId));
  const paths = await folderPaths(source, known.flatMap((file) => file.folderId ?? []));
  return shown.map((file) =>
    reachesFoldersOf(principal, file.ownerId) ? paths.get(file.folderId ?? "") ?? "" : null
  );
}

interface Viewer {
  readonly store: Source;
  readonly principal: Principal;
  readonly services: { readonly settings: Settings };
}

/** Files as JSON. */
export async function fileViews(
  { store, principal, services }: Viewer,
  shown: readonly File[],
): Promise<JsonText[]> {
  const places = await placesOf(store, principal, shown);
  const view = viewOf(services.settings);
  return shown.map((file, n) => view(file, places[n]!));
}

/** A file and the version of what is shown of it, which changes with its path too. */
export async function shownFile(
  viewer: Viewer,
  file: File,
): Promise<{ data: JsonText; etag: string }> {
  const [data] = await fileViews(viewer, [file]);
  return { data: data!, etag: await fileEtag(viewer.store, viewer.principal, file) };
}

/** For `ETag` and `If-Match`. */
export async function fileEtag(source: Source, principal: Principal, file: File): Promise<string> {
  const [place] = await placesOf(source, principal, [file]);
  return place ? `${file.rev}.${sha256(place).slice(0, 12)}` : file.rev;
}

/**
 * The file, when the caller may do with it what needs the level.
 *
 * @throws {ApiError} NOT_FOUND when the caller does not see it, FORBIDDEN when the caller sees it and may do less.
 */
export async function fileFor(
  source: Source,
  principal: Principal,
  id: string,
  asked: Level,
  now: string,
): Promise<File> {
  const file = await source.from(files).get(id);
  const level = file ? await levelOf(source, principal, "files", file, now) : "none";
  if (!file || level === "none") throw notFound("file");
  if (reaches(level, asked)) return file;
  if (asked === "owner") throw forbidden("Only the owner of a file may do this");
  throw forbidden(`This file is shared with you to ${level}: this needs '${asked}'`);
}

/**
 * The condition that lists the files which match the filters and which the caller sees. Files of others are in no folder
 * for it, as they are shown: else the filter would tell where they are.
 */
export async function visibleFiles(
  source: Source,
  principal: Principal,
  now: string,
  filters: Where<File>,
): Promise<Where<File>> {
  const seen = await visible(source, principal, "files", now) as Where<File>;
  if (Object.keys(seen).length === 0) return filters;
  const { folderId, ...rest } = filters;
  if (folderId === undefined || manages(principal, "files")) return { ...filters, any: [seen] };
  const ownerId = principal.user.id;
  const places: Where<File>[] = [{ ownerId, folderId }];
  const { all } = parseWhere(files, { folderId });
  if (all.every((condition) => meets(condition, null))) places.push({ ownerId: { ne: ownerId } });
  return { ...rest, all: [seen, { any: places }] };
}
