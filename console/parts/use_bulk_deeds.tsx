// What is done with the chosen rows of a list: asked first, shown while it goes on, and told of record by record.
import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Refusal } from "../state/batch_outcome.ts";
import type { Bulk } from "../state/batches.ts";
import { refresh } from "../state/query.ts";
import { toast } from "../state/toasts.ts";
import { tried } from "../state/use_busy.ts";
import { confirm, Dialog, type Question } from "./dialog.tsx";
import { Progress } from "./progress.tsx";
import { Refusals } from "./refusals.tsx";
import { NOTHING, type Selection } from "./selection.ts";
import { texts } from "./texts.ts";

export interface BulkDeed {
  readonly bulk: Bulk;
  /** Asked first; without, nothing is. */
  readonly question?: Question;
  /** What is told of those that it was done with. */
  readonly told: (count: number) => string;
  /** Collections that are read anew afterwards. */
  readonly touches: readonly string[];
}

/** Of so many it is shown how far it is. */
const MANY = 20;

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
  const [far, setFar] = useState<number | null>(null);

  const carryOut = async ({ bulk, question, told, touches }: BulkDeed, ids: readonly string[]) => {
    if (question && !await confirm(question)) return;
    if (ids.length > MANY) setFar(0);
    await tried(async () => {
      const { done, refused } = await bulk(ids, (count) => {
        if (ids.length > MANY) setFar(count / ids.length);
      });
      if (done.length > 0) toast({ text: told(done.length) });
      setRefused(refused);
      selection.value = NOTHING;
    });
    setFar(null);
    refresh(...touches);
  };

  const said = texts().bulk;
  const dialogs = far !== null
    ? (
      <Dialog open size="s" title={said.working} onClose={() => {}}>
        <Progress label={said.working} shown value={far} />
      </Dialog>
    )
    : refused.length > 0
    ? <Refusals refused={refused} nameOf={nameOf} onClose={() => setRefused([])} />
    : null;
  return { carryOut, dialogs };
}
