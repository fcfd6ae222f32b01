// The uploads of a session, in the order in which they were chosen; each changes by itself.
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Chosen } from "./chosen.ts";
import { isOver, type Upload } from "./upload.ts";

/** Where files are sent that were chosen together. */
export interface Aim {
  /** The folder; null is the top. */
  readonly folderId: string | null;
  /** Of which file they become new versions. */
  readonly fileId?: string;
}

export interface UploadList {
  readonly items: ReadonlySignal<readonly Upload[]>;
  one(id: number): Upload | undefined;
  put(id: number, change: Partial<Upload>): void;
  /** Has one wait again, from its first byte. */
  restart(id: number): void;
  add(chosen: readonly Chosen[], to: Aim): void;
  /** Takes away what is over. */
  clear(): void;
  /** Takes away everything. */
  empty(): void;
}

export function createUploadList(): UploadList {
  const items = signal<readonly Upload[]>([]);
  let last = 0;
  const put = (id: number, change: Partial<Upload>) => {
    items.value = items.peek().map((item) => item.id === id ? { ...item, ...change } : item);
  };
  return {
    items,
    one: (id) => items.peek().find((item) => item.id === id),
    put,
    restart: (id) => put(id, { state: "waiting", sent: 0, error: undefined }),
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
    },
    clear() {
      items.value = items.peek().filter((item) => !isOver(item));
    },
    empty() {
      items.value = [];
    },
  };
}
