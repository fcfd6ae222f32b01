// Something that opens at a button and closes by Escape or a click elsewhere; the browser's own popover.
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button, type ButtonProps } from "./button.tsx";
import { classes } from "./classes.ts";
import { openState, useFocusInside, usePlace } from "./floating.ts";

export interface PopoverProps {
  /** What opens it. */
  button: Omit<ButtonProps, "onClick" | "ref">;
  /** What it is called. */
  label: string;
  /** @default "start" */
  align?: "start" | "end";
  /** Opens it with the page, such as a filter that was just added. */
  initiallyOpen?: boolean;
  onClosed?: () => void;
  class?: string;
  /** Made anew each time that it opens. */
  children: (close: () => void) => ComponentChildren;
}

export function Popover(
  { button, label, align = "start", initiallyOpen = false, onClosed, class: extra, children }:
    PopoverProps,
) {
  const id = useId();
  const anchor = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  usePlace(panel, anchor, open, align);

  useLayoutEffect(() => {
    if (initiallyOpen) panel.current?.showPopover({ source: anchor.current! } as never);
  }, []);
  useFocusInside(
    panel,
    open,
    (inside) => inside.querySelector<HTMLElement>("[autofocus], input, select, textarea, button"),
  );

  const close = () => {
    panel.current?.hidePopover();
    anchor.current?.focus();
  };
  return (
    <>
      <Button
        aria-haspopup="dialog"
        {...button}
        ref={anchor}
        aria-expanded={open}
        aria-controls={id}
        {...{ popovertarget: id }}
      />
      <div
        ref={panel}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={label}
        class={classes("float popover", extra)}
        {...openState((now) => {
          setOpen(now);
          if (!now) onClosed?.();
        })}
      >
        {open && children(close)}
      </div>
    </>
  );
}
