// Files on their way to the server: a few at a time, each with its progress; cancelled, tried again, and asked about where
// a file of the same name is there already.
import { type ReadonlySignal, signal } from "@preact/signals";
import { ApiError, type UploadOptions } from "../../../client/mod.ts";

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
  /** The folder that it goes into; null is the top. */
  readonly folderId: string | null;
  /** Of which file it becomes a new version. */
  readonly fileId?: string;
  readonly state: UploadState;
  /** Bytes. */
  readonly sent: number;
  readonly error?: unknown;
  /** The id of a file that has the same name already. */
  readonly existing?: string;
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
  /** Called after each that has arrived. */
  readonly onArrived: () => void;
}

export interface Uploads {
  readonly items: ReadonlySignal<readonly Upload[]>;
  add(files: readonly File[], to: { folderId: string | null; fileId?: string }): void;
  cancel(id: number): void;
  retry(id: number): void;
  decide(id: number, decision: Decision): void;
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

/** `report.pdf` as `report (2).pdf`. */
export function numbered(name: string, number: number): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? `${name.slice(0, dot)} (${number})${name.slice(dot)}` : `${name} (${number})`;
}

export function createUploads({ send, find, onArrived }: UploadsOptions): Uploads {
  const items = signal<readonly Upload[]>([]);
  const controllers = new Map<number, AbortController>();
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
      });
    }
  }

  async function work({ id, file, name, folderId, fileId }: Upload, signal: AbortSignal) {
    try {
      put(id, { state: "looking", sent: 0, error: undefined });
      // What was decided once is not asked again.
      if (fileId === undefined && name === file.name) {
        const existing = await find(name, folderId, signal);
        signal.throwIfAborted();
        if (existing !== null) return put(id, { state: "asking", existing });
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
      if (signal.aborted) put(id, { state: "cancelled" });
      else put(id, { state: "failed", error });
    }
  }

  /** A name that no file of the folder has. */
  async function keepBoth({ id, file, folderId }: Upload): Promise<void> {
    put(id, { state: "looking" });
    const { signal } = new AbortController();
    try {
      let number = 2;
      while (await find(numbered(file.name, number), folderId, signal) !== null) number++;
      put(id, { state: "waiting", name: numbered(file.name, number) });
    } catch (error) {
      put(id, { state: "failed", error });
    }
    next();
  }

  return {
    items,
    add(files, to) {
      const added = files.map((file): Upload => ({
        id: ++last,
        file,
        name: file.name,
        state: "waiting",
        sent: 0,
        ...to,
      }));
      items.value = [...items.peek(), ...added];
      next();
    },
    cancel(id) {
      controllers.get(id)?.abort();
      const item = one(id);
      if (item && !isOver(item)) put(id, { state: "cancelled" });
    },
    retry(id) {
      put(id, { state: "waiting", sent: 0, error: undefined });
      next();
    },
    decide(id, decision) {
      const item = one(id);
      if (item?.state !== "asking") return;
      if (decision === "skip") return put(id, { state: "skipped" });
      if (decision === "both") return void keepBoth(item);
      put(id, { state: "waiting", fileId: item.existing! });
      next();
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
      for (const controller of controllers.values()) controller.abort();
    },
  };
}
