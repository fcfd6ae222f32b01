// What is done with the chosen rows of a list: asked first, and told of record by record.
import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Refusal } from "../state/batch_outcome.ts";
import type { Bulk } from "../state/batches.ts";
import { refresh } from "../state/query.ts";
import { toast } from "../state/toasts.ts";
import { tried } from "../state/use_busy.ts";
import { confirm, type Question } from "./dialog.tsx";
import { Refusals } from "./refusals.tsx";
import { NOTHING, type Selection } from "./selection.ts";

export interface BulkDeed {
  readonly bulk: Bulk;
  /** Asked first; without, nothing is. */
  readonly question?: Question;
  /** What is told of those that it was done with. */
  readonly told: (count: number) => string;
  /** Collections that are read anew afterwards. */
  readonly touches: readonly string[];
}

/**
 * @param nameOf What a row is called, as far as the list has it.
 * @returns What carries one out, and the dialogs that belong to it.
 */
export function useBulkDeeds(
  selection: Signal<Selection>,
  nameOf: (id: string) => string | undefined,
): {
  readonly carryOut: (deed: BulkDeed, ids: readonly string[]) => Promise<void>;
  readonly dialogs: ComponentChildren;
} {
  const [refused, setRefused] = useState<readonly Refusal[]>([]);

  const carryOut = async ({ bulk, question, told, touches }: BulkDeed, ids: readonly string[]) => {
    if (question && !await confirm(question)) return;
    await tried(async () => {
      const { done, refused } = await bulk(ids);
      if (done.length > 0) toast({ text: told(done.length) });
      setRefused(refused);
      selection.value = NOTHING;
    });
    refresh(...touches);
  };

  const dialogs = refused.length > 0 &&
    <Refusals refused={refused} nameOf={nameOf} onClose={() => setRefused([])} />;
  return { carryOut, dialogs };
}
