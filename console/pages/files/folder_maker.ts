// Folders that uploaded files were in: found where they are there already, made where they are missing, each once.
import { ApiError, type Folder } from "../../../client/mod.ts";
import { everyFolder } from "./places.ts";

export interface FolderMaker {
  /** The id of the folder at a path below another one (null is the top). */
  at(base: string | null, path: readonly string[]): Promise<string>;
  /** What was found or made is looked for anew. */
  forget(): void;
}

interface Place {
  readonly id: string | null;
  /** Whether it is new, so that nothing can be in it. */
  readonly made: boolean;
}

/** Names that differ in case or in how accents are written are one to the server, too. */
const alike = (name: string) => name.trim().normalize().toLowerCase();

export function createFolderMaker({ list, create }: {
  /** One's own folders, as a tree. */
  readonly list: () => Promise<readonly Folder[]>;
  /** @returns The id. @throws {ApiError} 409 where there is one of this name. */
  readonly create: (name: string, parentId: string | null) => Promise<string>;
}): FolderMaker {
  /** By path as text. Promises, for files of one folder are uploaded at the same time. */
  let places = new Map<string, Promise<Place>>();

  async function find(name: string, parentId: string | null): Promise<string | undefined> {
    const tree = await list();
    const beside = parentId === null
      ? tree
      : everyFolder(tree).find(({ id }) => id === parentId)?.children ?? [];
    return beside.find((folder) => alike(folder.name) === alike(name))?.id;
  }

  async function reach(name: string, parent: Place): Promise<Place> {
    const present = parent.made ? undefined : await find(name, parent.id);
    if (present !== undefined) return { id: present, made: false };
    try {
      return { id: await create(name, parent.id), made: true };
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
      // Somebody was faster, perhaps oneself in another tab.
      const id = await find(name, parent.id);
      if (id === undefined) throw error;
      return { id, made: false };
    }
  }

  function at(base: string | null, path: readonly string[]): Promise<Place> {
    const name = path.at(-1);
    if (name === undefined) return Promise.resolve({ id: base, made: false });
    const key = JSON.stringify([base, ...path]);
    const present = places.get(key);
    if (present) return present;
    const place = at(base, path.slice(0, -1)).then((parent) => reach(name, parent));
    places.set(key, place);
    return place;
  }

  return {
    at: async (base, path) => (await at(base, path)).id!,
    forget: () => void (places = new Map()),
  };
}
