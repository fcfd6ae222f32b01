// Files on their way to the server: a few at a time, each with its progress; cancelled, tried again, and asked about where
// a file of the same name is there already. The folders that they were chosen with are made on the way.
import { type ReadonlySignal, signal } from "@preact/signals";
import { ApiError, type UploadOptions } from "../../../client/mod.ts";
import type { Chosen } from "./chosen.ts";
import type { FolderMaker } from "./folder_maker.ts";

export type UploadState =
  /** For others to be done. */
  | "waiting"
  | "looking"
  /** What to do about a file of the same name. */
  | "asking"
  | "sending"
  | "done"
  | "failed"
  | "cancelled"
  | "skipped";

export interface Upload {
  readonly id: number;
  readonly file: File;
  /** What it will be called. */
  readonly name: string;
  /** The folder that it goes into, or the one that holds its folders; null is the top. */
  readonly folderId: string | null;
  /** Names of folders in that one, each in the one before. */
  readonly folders: readonly string[];
  /** Of which file it becomes a new version. */
  readonly fileId?: string;
  readonly state: UploadState;
  /** Bytes. */
  readonly sent: number;
  readonly error?: unknown;
  /** The id of a file that has the same name already. */
  readonly existing?: string;
  /** What was decided before it was asked about. */
  readonly decision?: Decision;
}

export type Decision = "version" | "both" | "skip";

export interface UploadsOptions {
  readonly send: (file: Blob, options: UploadOptions) => Promise<unknown>;
  /** The id of the file of this name in a folder; null where there is none. */
  readonly find: (
    name: string,
    folderId: string | null,
    signal: AbortSignal,
  ) => Promise<string | null>;
  readonly folders: FolderMaker;
  /** Called after each that has arrived. */
  readonly onArrived: () => void;
}

export interface Uploads {
  readonly items: ReadonlySignal<readonly Upload[]>;
  add(chosen: readonly Chosen[], to: { folderId: string | null; fileId?: string }): void;
  cancel(id: number): void;
  cancelAll(): void;
  retry(id: number): void;
  decide(id: number, decision: Decision): void;
  /** Decides about all that are not over, also those that are not asked about yet. */
  decideAll(decision: Decision): void;
  /** Tries again what did not arrive because the network was away. */
  resume(): void;
  /** Takes away what is over. */
  clear(): void;
  /** Ends everything: somebody else is signed in. */
  end(): void;
}

/** As many are sent at once. */
const AT_ONCE = 2;

const OVER: ReadonlySet<UploadState> = new Set(["done", "failed", "cancelled", "skipped"]);

export function isOver({ state }: Pick<Upload, "state">): boolean {
  return OVER.has(state);
}

/** Whether it failed because nothing answered. */
export function isCutOff({ state, error }: Pick<Upload, "state" | "error">): boolean {
  return state === "failed" && error instanceof ApiError && error.status === 0;
}

/** Its name below the folder that was chosen for all. */
export function pathOf({ folders, name }: Pick<Upload, "folders" | "name">): string {
  return [...folders, name].join("/");
}

/** `report.pdf` as `report (2).pdf`. */
export function numbered(name: string, number: number): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? `${name.slice(0, dot)} (${number})${name.slice(dot)}` : `${name} (${number})`;
}

export function createUploads({ send, find, folders, onArrived }: UploadsOptions): Uploads {
  const items = signal<readonly Upload[]>([]);
  const controllers = new Map<number, AbortController>();
  /** Of those for which a name is looked for: they take nobody's turn. */
  const naming = new Map<number, AbortController>();
  let last = 0;

  const one = (id: number) => items.peek().find((item) => item.id === id);
  const put = (id: number, change: Partial<Upload>) => {
    items.value = items.peek().map((item) => item.id === id ? { ...item, ...change } : item);
  };

  function next(): void {
    while (controllers.size < AT_ONCE) {
      const waiting = items.peek().find(({ state }) => state === "waiting");
      if (!waiting) return;
      const controller = new AbortController();
      controllers.set(waiting.id, controller);
      void work(waiting, controller.signal).finally(() => {
        controllers.delete(waiting.id);
        next();
        // Later ones look anew: others may change folders meanwhile.
        if (controllers.size === 0) folders.forget();
      });
    }
  }

  /** The folder that it goes into: those that are missing are made. */
  async function placeOf(upload: Upload): Promise<string | null> {
    const { folderId, fileId } = upload;
    if (fileId !== undefined || upload.folders.length === 0) return folderId;
    return await folders.at(folderId, upload.folders);
  }

  async function work(upload: Upload, signal: AbortSignal) {
    const { id, file, name, fileId } = upload;
    try {
      put(id, { state: "looking", sent: 0, error: undefined });
      const folderId = await placeOf(upload);
      signal.throwIfAborted();
      // What was decided once is not asked again.
      if (fileId === undefined && name === file.name) {
        const existing = await find(name, folderId, signal);
        signal.throwIfAborted();
        if (existing !== null) {
          put(id, { state: "asking", existing });
          const decision = one(id)?.decision;
          if (decision) decide(id, decision);
          return;
        }
      }
      put(id, { state: "sending" });
      await send(file, {
        name,
        signal,
        ...(fileId === undefined ? { folderId: folderId ?? "root" } : { fileId }),
        onProgress: (sent) => put(id, { sent }),
      });
      put(id, { state: "done", sent: file.size });
      onArrived();
    } catch (error) {
      if (signal.aborted) return put(id, { state: "cancelled" });
      put(id, { state: "failed", error });
      // Its folder may be gone: who tries again looks for it, or makes it.
      folders.forget();
    }
  }

  /** A name that no file of the folder has. */
  async function keepBoth(upload: Upload): Promise<void> {
    const { id, file } = upload;
    put(id, { state: "looking" });
    const controller = new AbortController(), { signal } = controller;
    naming.set(id, controller);
    try {
      const folderId = await placeOf(upload);
      let number = 2;
      while (await find(numbered(file.name, number), folderId, signal) !== null) {
        signal.throwIfAborted();
        number++;
      }
      signal.throwIfAborted();
      put(id, { state: "waiting", name: numbered(file.name, number) });
    } catch (error) {
      // It is cancelled already, or gone, or begun anew.
      if (signal.aborted) return;
      put(id, { state: "failed", error });
      folders.forget();
    } finally {
      if (naming.get(id) === controller) naming.delete(id);
    }
    next();
  }

  function cancel(id: number): void {
    controllers.get(id)?.abort();
    naming.get(id)?.abort();
    const item = one(id);
    if (item && !isOver(item)) put(id, { state: "cancelled" });
  }

  function decide(id: number, decision: Decision): void {
    const item = one(id);
    if (item?.state !== "asking") return;
    if (decision === "skip") return put(id, { state: "skipped" });
    if (decision === "both") return void keepBoth(item);
    put(id, { state: "waiting", fileId: item.existing! });
    next();
  }

  return {
    items,
    add(chosen, to) {
      const added = chosen.map(({ file, folders }): Upload => ({
        id: ++last,
        file,
        folders,
        name: file.name,
        state: "waiting",
        sent: 0,
        ...to,
      }));
      items.value = [...items.peek(), ...added];
      next();
    },
    cancel,
    cancelAll() {
      // The waiting ones first: they must not take the places of those that end.
      const left = items.peek().filter((item) => !isOver(item));
      for (const { id, state } of left) if (state === "waiting") cancel(id);
      for (const { id } of left) cancel(id);
    },
    retry(id) {
      put(id, { state: "waiting", sent: 0, error: undefined });
      next();
    },
    decide,
    decideAll(decision) {
      for (const { id, state } of items.peek()) {
        if (state === "waiting" || state === "looking") put(id, { decision });
        else decide(id, decision);
      }
    },
    resume() {
      for (const item of items.peek()) {
        if (isCutOff(item)) put(item.id, { state: "waiting", sent: 0, error: undefined });
      }
      next();
    },
    clear() {
      items.value = items.peek().filter((item) => !isOver(item));
    },
    end() {
      items.value = [];
      folders.forget();
      for (const controller of [...controllers.values(), ...naming.values()]) controller.abort();
    },
  };
}
