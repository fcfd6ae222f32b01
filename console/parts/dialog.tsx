// Dialogs, on the browser's own: it keeps the focus inside and gives it back.
import { type ComponentChildren, render } from "preact";
import { useId, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Button, IconButton } from "./button.tsx";
import { classes } from "./classes.ts";
import { texts } from "./texts.ts";
import { type FormInside, FormsInside, holdsUnsaved } from "./unsaved.ts";

export interface DialogProps {
  title: string;
  open: boolean;
  /** Called by Escape, the cross and a click beside it; where what is written in it would be lost, after a question. */
  onClose: () => void;
  /** Buttons; the main one last. */
  footer?: ComponentChildren;
  /** Under the title. */
  text?: ComponentChildren;
  /** 400, 560 and 800 pixels. @default "m" */
  size?: "s" | "m" | "l";
  /** Whether it asks something that must be answered: role `alertdialog`. */
  alert?: boolean;
  /** Whether it shows what is not shown again: by Escape, the cross and a click beside it, it asks before it closes. */
  once?: boolean;
  children?: ComponentChildren;
  class?: string;
}

export function Dialog({ open, ...props }: DialogProps) {
  return open ? <Modal {...props} look="dialog" /> : null;
}

/** Shown as long as it is there. What is first to have the focus says `autofocus`. */
export function Modal(
  { title, onClose, footer, text, size = "m", alert, once = false, children, class: extra, look }:
    & Omit<DialogProps, "open">
    & { look: "dialog" | "drawer" },
) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const pressedOutside = useRef(false);
  const forms = useMemo(() => new Set<FormInside>(), []);
  useLayoutEffect(() => {
    const shown = dialog.current!;
    // Where it was opened by a menu or a row that goes away meanwhile, the browser knows no better than the page.
    const before = document.activeElement;
    shown.showModal();
    return () => {
      shown.close();
      if (
        before instanceof HTMLElement && before.isConnected &&
        document.activeElement === document.body
      ) before.focus();
    };
  }, []);
  const outside = (event: MouseEvent) => event.target === dialog.current;
  const question = () => holdsUnsaved(forms) ? texts().unsaved : once ? texts().once : null;
  const leave = async () => {
    const asked = question();
    if (!asked || await confirm({ ...asked, danger: true })) onClose();
  };
  return (
    <dialog
      ref={dialog}
      class={classes("modal", look, `${look}-${size}`, extra)}
      role={alert ? "alertdialog" : undefined}
      aria-labelledby={`${id}-title`}
      aria-describedby={text ? `${id}-text` : undefined}
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        // Where the browser closes it all the same, as at a second Escape, that is seen to afterwards.
        if (event.cancelable) void leave();
      }}
      onClose={({ target, currentTarget }) => {
        if (target !== currentTarget || !currentTarget.isConnected) return;
        if (question()) currentTarget.showModal();
        void leave();
      }}
      // A press that begins inside, such as to choose text, and ends outside closes nothing.
      onPointerDown={(event) => pressedOutside.current = outside(event)}
      onClick={(event) => {
        if (pressedOutside.current && outside(event)) void leave();
      }}
    >
      <FormsInside.Provider value={forms}>
        <div class="modal-inside">
          <header class="modal-head">
            <h2 id={`${id}-title`}>{title}</h2>
            <IconButton icon="x" label={texts().close} onClick={() => void leave()} />
          </header>
          <div class="modal-body">
            {text && <div class="modal-text" id={`${id}-text`}>{text}</div>}
            {children}
          </div>
          {footer && <footer class="modal-foot">{footer}</footer>}
        </div>
      </FormsInside.Provider>
    </dialog>
  );
}

export interface Question {
  title: string;
  text?: ComponentChildren;
  /** What the button says that does it. @default "Confirm" */
  action?: string;
  /** What it does cannot be undone. */
  danger?: boolean;
  /** What the other button says. @default "Cancel" */
  cancel?: string;
}

/** Asks. @returns Whether the answer was yes; closing it is a no. */
export function confirm(
  { title, text, action, danger = false, cancel }: Question,
): Promise<boolean> {
  return new Promise((resolve) => {
    const place = document.body.appendChild(document.createElement("div"));
    const answer = (yes: boolean) => {
      render(null, place);
      place.remove();
      resolve(yes);
    };
    render(
      <Modal
        look="dialog"
        size="s"
        alert
        title={title}
        text={text}
        onClose={() => answer(false)}
        footer={
          <>
            <Button autofocus={danger} onClick={() => answer(false)}>
              {cancel ?? texts().cancel}
            </Button>
            <Button
              autofocus={!danger}
              kind={danger ? "danger" : "primary"}
              onClick={() => answer(true)}
            >
              {action ?? texts().confirm}
            </Button>
          </>
        }
      />,
      place,
    );
  });
}
