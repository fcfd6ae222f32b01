// Sends the uploads that wait, a few at a time. Where a file of the same name is there already, it is asked about instead.
import type { Upload } from "./upload.ts";
import type { UploadList } from "./upload_list.ts";
import { folderOf, type UploadTarget } from "./upload_target.ts";

export interface UploadSender {
  /** Begins with those that wait, as many as have room. */
  next(): void;
  cancel(id: number): void;
  /** Cancels all. */
  end(): void;
}

/** As many are sent at once. */
const AT_ONCE = 2;

/** @param onAsked Called when a file of the same name was found. */
export function createSender(
  list: UploadList,
  target: UploadTarget,
  onAsked: (id: number) => void,
): UploadSender {
  const controllers = new Map<number, AbortController>();

  function next(): void {
    while (controllers.size < AT_ONCE) {
      const waiting = list.items.peek().find(({ state }) => state === "waiting");
      if (!waiting) return;
      const controller = new AbortController();
      controllers.set(waiting.id, controller);
      void work(waiting, controller.signal).finally(() => {
        // Where it was decided about already, it has begun anew.
        if (controllers.get(waiting.id) === controller) controllers.delete(waiting.id);
        next();
        // Later ones look anew: others may change folders meanwhile.
        if (controllers.size === 0) target.folders.forget();
      });
    }
  }

  async function work(upload: Upload, signal: AbortSignal): Promise<void> {
    const { id, file, name, fileId } = upload;
    try {
      list.put(id, { state: "looking", sent: 0, error: undefined });
      const folderId = await folderOf(upload, target.folders);
      signal.throwIfAborted();
      // What was decided once is not asked again.
      if (fileId === undefined && name === file.name) {
        const existing = await target.find(name, folderId, signal);
        signal.throwIfAborted();
        if (existing !== null) {
          list.put(id, { state: "asking", existing });
          return onAsked(id);
        }
      }
      list.put(id, { state: "sending" });
      await target.send(file, {
        name,
        signal,
        ...(fileId === undefined ? { folderId: folderId ?? "root" } : { fileId }),
        onProgress: (sent) => list.put(id, { sent }),
      });
      list.put(id, { state: "done", sent: file.size });
      target.onArrived();
    } catch (error) {
      if (signal.aborted) return list.put(id, { state: "cancelled" });
      list.put(id, { state: "failed", error });
      // Its folder may be gone: who tries again looks for it, or makes it.
      target.folders.forget();
    }
  }

  return {
    next,
    cancel: (id) => controllers.get(id)?.abort(),
    end() {
      for (const controller of [...controllers.values()]) controller.abort();
    },
  };
}
