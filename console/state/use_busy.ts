// Something that a button does: under way or not, and told of where it fails.
import { useState } from "preact/hooks";
import { toast } from "./toasts.ts";

export interface Busy {
  readonly busy: boolean;
  /** Does it; what it throws is shown. @returns Whether it worked. */
  run(work: () => Promise<unknown>): Promise<boolean>;
}

export function useBusy(): Busy {
  const [busy, setBusy] = useState(false);
  return {
    busy,
    async run(work) {
      setBusy(true);
      const worked = await tried(work);
      setBusy(false);
      return worked;
    },
  };
}

/** Does something; what it throws is shown. @returns Whether it worked. */
export async function tried(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    toast({ kind: "error", text: (error as Error).message });
    return false;
  }
}
