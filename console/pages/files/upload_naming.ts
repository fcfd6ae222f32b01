// Finds names for uploads that are to stand beside files of the same name. Meanwhile they take nobody's turn.
import { numbered, type Upload } from "./upload.ts";
import type { UploadList } from "./upload_list.ts";
import { folderOf, type UploadTarget } from "./upload_target.ts";

export interface UploadNaming {
  /** Has an upload wait under a name that no file of its folder has. */
  keepBoth(upload: Upload): Promise<void>;
  cancel(id: number): void;
  /** Cancels all. */
  end(): void;
}

/** @param onNamed Called when an upload has got its name, or has failed. */
export function createNaming(
  list: UploadList,
  { find, folders }: Pick<UploadTarget, "find" | "folders">,
  onNamed: () => void,
): UploadNaming {
  const controllers = new Map<number, AbortController>();

  async function freeName(upload: Upload, signal: AbortSignal): Promise<string> {
    const folderId = await folderOf(upload, folders);
    const named = (number: number) => numbered(upload.file.name, number);
    let number = 2;
    while (await find(named(number), folderId, signal) !== null) {
      signal.throwIfAborted();
      number++;
    }
    signal.throwIfAborted();
    return named(number);
  }

  return {
    async keepBoth(upload) {
      const { id } = upload;
      list.put(id, { state: "looking" });
      const controller = new AbortController(), { signal } = controller;
      controllers.set(id, controller);
      try {
        list.put(id, { state: "waiting", name: await freeName(upload, signal) });
      } catch (error) {
        // It is cancelled already, or gone, or begun anew.
        if (signal.aborted) return;
        list.put(id, { state: "failed", error });
        folders.forget();
      } finally {
        if (controllers.get(id) === controller) controllers.delete(id);
      }
      onNamed();
    },
    cancel: (id) => controllers.get(id)?.abort(),
    end() {
      for (const controller of [...controllers.values()]) controller.abort();
    },
  };
}
