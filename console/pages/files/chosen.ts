// What somebody has chosen or dropped for an upload: files, each with the folders that it came in.

export interface Chosen {
  readonly file: File;
  /** Names of the folders, each in the one before. */
  readonly folders: readonly string[];
}

/** Files that are taken at once, at most: each is a row of the queue, and a request or more. */
export const MOST_FILES = 1000;

/** What a field holds; of a folder, each file knows its path (https://wicg.github.io/entries-api/#dom-file-webkitrelativepath). */
export function chosenBy(files: Iterable<File>): readonly Chosen[] {
  return [...files].map((file) => ({
    file,
    folders: (file.webkitRelativePath ?? "").split("/").slice(0, -1),
  }));
}

export interface Dropped {
  /** One more than may be taken, where there are more: the rest is not looked for. */
  readonly chosen: readonly Chosen[];
  /** Paths of what the browser could not read. */
  readonly unread: readonly string[];
}

/** All files in what was dropped, at every depth. Folders without files are left out, as a field for folders does. */
export async function chosenIn(entries: readonly FileSystemEntry[]): Promise<Dropped> {
  const chosen: Chosen[] = [];
  const unread: string[] = [];
  const walk = async (entry: FileSystemEntry, folders: readonly string[]): Promise<void> => {
    try {
      if (entry.isFile) {
        chosen.push({ file: await fileOf(entry as FileSystemFileEntry), folders });
        return;
      }
      const inner = [...folders, entry.name];
      const reader = (entry as FileSystemDirectoryEntry).createReader();
      // A part at a time, until one is empty.
      for (let part = await nextOf(reader); part.length > 0; part = await nextOf(reader)) {
        for (const below of part) {
          if (chosen.length > MOST_FILES) return;
          await walk(below, inner);
        }
      }
    } catch {
      unread.push([...folders, entry.name].join("/"));
    }
  };
  for (const entry of entries) {
    if (chosen.length <= MOST_FILES) await walk(entry, []);
  }
  return { chosen, unread };
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

function nextOf(reader: FileSystemDirectoryReader): Promise<readonly FileSystemEntry[]> {
  return new Promise((resolve, reject) => reader.readEntries(resolve, reject));
}
