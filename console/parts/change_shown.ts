// Changing a value at once, without a form: a task that is dragged, a role that is chosen. Where somebody else has changed
// it since it was shown, whoever changes it is asked first.
import { ConflictError } from "../../client/mod.ts";
import { confirm } from "./dialog.tsx";
import { texts } from "./texts.ts";
import type { Versioned } from "./use_versioned_form.ts";

export interface ShownChange<R> {
  /** The record as it is now. */
  readonly read: () => Promise<Versioned<R>>;
  /** Whether the value is still the one that was shown. */
  readonly isAsShown: (record: R) => boolean;
  /** The value as it is now, for people. */
  readonly valueOf: (record: R) => string;
  /** @throws {ConflictError} where the version is no longer the latest */
  readonly save: (etag: string) => Promise<unknown>;
}

/** @returns Whether it was changed; not where somebody else's change is to stay. */
export async function changeShown<R>(
  { read, isAsShown, valueOf, save }: ShownChange<R>,
  ask: (value: string) => Promise<boolean> = askWhetherToChange,
): Promise<boolean> {
  for (;;) {
    const { data, etag } = await read();
    if (!isAsShown(data) && !await ask(valueOf(data))) return false;
    try {
      await save(etag);
      return true;
    } catch (error) {
      // Something of the record has changed in between, and perhaps not this.
      if (!(error instanceof ConflictError)) throw error;
    }
  }
}

function askWhetherToChange(value: string): Promise<boolean> {
  const { title, text, action, cancel } = texts().overtaken;
  return confirm({ title, text: text(value), action, cancel });
}
