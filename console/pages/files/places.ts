// Where in the files one is: one of the places of all, or a folder of one's own.
import type { Folder } from "../../../client/mod.ts";

/** The places that are no folders, by what stands in the address. */
export const PLACES = ["all", "root", "shared", "favorites"] as const;

export type Place = (typeof PLACES)[number];

export function isPlace(name: string): name is Place {
  return (PLACES as readonly string[]).includes(name);
}

/** The conditions of the API by which a place lists its files. @param place Or the id of a folder. */
export function conditionsOf(place: string, self: string): Readonly<Record<string, string>> {
  if (place === "all") return {};
  if (place === "shared") return { ownerId_ne: self };
  if (place === "favorites") return { isFavorite: "true" };
  return place === "root" ? { folderId: "root", ownerId: self } : { folderId: place };
}

/** The address of a place, or of a folder by its id. */
export function addressOf(place: string): string {
  return place === "all" ? "/files" : `/files?${new URLSearchParams({ folder: place })}`;
}

/** The folders from the top to the one that is named; empty where it is not among them. */
export function trailTo(folders: readonly Folder[], id: string): readonly Folder[] {
  for (const folder of folders) {
    if (folder.id === id) return [folder];
    const below = trailTo(folder.children, id);
    if (below.length > 0) return [folder, ...below];
  }
  return [];
}

/** All folders, each before those in it. @param without A folder that is left out with all in it. */
export function everyFolder(folders: readonly Folder[], without?: string): readonly Folder[] {
  return folders.filter(({ id }) => id !== without)
    .flatMap((folder) => [folder, ...everyFolder(folder.children, without)]);
}
