// The menu of a table's rows: one for all of them, since a menu in each would be most of what a long table is made of.
import { useLayoutEffect, useRef } from "preact/hooks";
import { openState, usePlace } from "./floating.ts";
import { type Action, focusItem, MenuItems } from "./menu.tsx";

/** The row whose menu is open. */
export interface RowMenuTarget {
  readonly id: string;
  /** The button that opened it. */
  readonly anchor: HTMLElement;
  readonly label: string;
  readonly items: readonly Action[];
}

/** @param props.onClosed Called with whether something of it was chosen. */
export function RowMenu(
  { target, onClosed }: { target: RowMenuTarget | null; onClosed: (chosen: boolean) => void },
) {
  const chosen = useRef(false);
  const panel = useRef<HTMLDivElement>(null);
  const anchor = useRef<HTMLElement | null>(null);
  anchor.current = target?.anchor ?? null;
  useLayoutEffect(() => {
    if (target) panel.current!.showPopover({ source: target.anchor } as never);
    else panel.current!.hidePopover();
  }, [target]);
  usePlace(panel, anchor, target !== null, "end");
  useLayoutEffect(() => {
    if (target) focusItem(panel.current!, 0);
  }, [target]);
  return (
    <div
      ref={panel}
      popover="auto"
      class="float menu"
      {...openState((open) => {
        if (!open) onClosed(chosen.current);
        chosen.current = false;
      })}
    >
      {target && (
        <MenuItems
          label={target.label}
          items={target.items}
          onDone={() => {
            chosen.current = true;
            panel.current?.hidePopover();
            // Where the keys of the table go on.
            (target.anchor.closest<HTMLElement>("[data-row]") ?? target.anchor).focus();
          }}
        />
      )}
    </div>
  );
}
