// Choosing events of the agenda and deleting them together; the focus goes on at what follows them.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { deleteEvents, type Event } from "../../../client/mod.ts";
import { NOTHING, type Selection } from "../../parts/selection.ts";
import { useBulkDeeds } from "../../parts/use_bulk_deeds.tsx";
import { useRowChoice } from "../../parts/use_row_choice.ts";
import { together } from "../../state/batches.ts";
import { mayDelete } from "./rights.ts";
import { texts } from "./texts.ts";

const deleting = together("deleted", (ids) => deleteEvents({ body: { ids } }));

/** @param shown The events as they stand; one of several days stands at each of them. */
export function useDeletion(shown: readonly Event[]) {
  const selection = useSignal<Selection>(NOTHING);
  const box = useRef<HTMLDivElement>(null);
  const nameOf = (id: string) => shown.find((event) => event.id === id)?.title;
  const { carryOut, dialogs } = useBulkDeeds(selection, nameOf);
  // An event of several days is chosen once.
  const order = [...new Set(shown.filter(mayDelete).map(({ id }) => id))];
  const choice = useRowChoice(selection, order);
  // What is not shown any more is not deleted either.
  const chosen = order.filter((id) => choice.chosen.has(id));

  const remove = async () => {
    const said = texts();
    const all = shown.map(({ id }) => id);
    const next = all.slice(all.lastIndexOf(chosen.at(-1)!)).find((id) => !chosen.includes(id));
    await carryOut({
      bulk: deleting,
      question: {
        title: said.deleteMany(chosen.length),
        text: said.deleteText,
        action: said.delete,
        danger: true,
      },
      told: said.deletedMany,
      touches: ["events"],
    }, chosen);
    // The button that had the focus is gone. Where nothing follows, the calendar finds a place once the last one is gone.
    if (document.activeElement !== document.body) return;
    const place = next ?? chosen.at(-1)!;
    box.current?.querySelector<HTMLElement>(`[data-event="${CSS.escape(place)}"]`)?.focus();
  };

  return {
    /** What holds the events. */
    box,
    /** The ids of those that can be chosen. */
    order,
    choice,
    /** Those that are chosen and shown. */
    chosen,
    remove,
    dialogs,
  };
}
