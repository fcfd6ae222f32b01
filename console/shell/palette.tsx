// The command palette: goes to a page, finds a record, or does something, all from the keyboard.
import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Icon } from "../parts/icon.tsx";
import { type Command, commandsFor, findRecords, rank } from "./commands.ts";
import { useDeparture } from "./leaving.ts";
import { texts } from "./texts.ts";

const open = signal(false);

export function openPalette(): void {
  open.value = true;
}

/** Milliseconds without typing after which records are looked for. */
const PAUSE = 150;
/** Commands that are shown in the first frame: as many as there is room for. */
const FIRST = 12;

export function Palette() {
  const veil = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => open.value ? show(veil.current!) : undefined, [open.value]);
  const close = () => void (open.value = false);
  const { palette } = texts();
  return (
    <dialog
      ref={veil}
      popover="manual"
      class="palette-veil"
      aria-label={palette.label}
      aria-modal="true"
      onClose={close}
      onClick={(event) => event.target === veil.current && close()}
      onMouseDown={keepFocus}
      onKeyDown={(event) => {
        if (event.isComposing) return;
        if (event.key === "Escape") close();
        // There is nothing else to have the focus.
        if (["Escape", "Tab"].includes(event.key)) event.preventDefault();
      }}
    >
      {open.value && <PaletteInside close={close} />}
    </dialog>
  );
}

/**
 * Above the page, as a popover: to make all else inert, as a modal dialog does, takes most of a tenth of a second on a slow
 * processor. What covers the page and keeps the focus needs that only above a modal dialog, which makes popovers inert.
 *
 * @returns What hides it and gives the focus back.
 */
function show(veil: HTMLDialogElement): () => void {
  const before = document.activeElement;
  if (document.querySelector("dialog:modal")) veil.showModal();
  else veil.showPopover();
  return () => {
    if (veil.open) veil.close();
    else veil.hidePopover();
    if (!(before instanceof HTMLElement) || !before.isConnected) return;
    // Of a modal dialog that has lost what had the focus, Chromium gives it back so that nothing can be typed there.
    before.blur();
    before.focus();
  };
}

/** What is pressed beside the field does not take the focus from it. */
function keepFocus(event: MouseEvent): void {
  if (!(event.target instanceof HTMLInputElement)) event.preventDefault();
}

function PaletteInside({ close }: { readonly close: () => void }) {
  const route = useDeparture();
  const { palette } = texts();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const records = useRecords(text);
  const own = useMemo(() => commandsFor(route), []);
  const found = useMemo(() => [...rank(own, text), ...records], [own, text, records]);
  const [whole, showWhole] = useState(false);
  useEffect(() => showWhole(true), []);
  const list = useRef<HTMLDivElement>(null);
  const chosen = Math.min(at, found.length - 1);

  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [chosen]);

  const run = (command: Command | undefined) => {
    if (!command) return;
    close();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) {
      event.preventDefault();
      setAt((chosen + step + found.length) % found.length);
    } else if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      run(found[chosen]);
    }
  };
  return (
    <div class="palette">
      <div class="palette-field">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label={palette.label}
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={found.length > 0 ? `command-${chosen}` : undefined}
          autocomplete="off"
          spellcheck={false}
          autofocus
          placeholder={palette.placeholder}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div
        class="palette-list"
        id="palette-list"
        role="listbox"
        aria-label={palette.label}
        ref={list}
      >
        {found.slice(0, whole ? undefined : FIRST).map((command, index) => (
          <div
            key={command.id}
            id={`command-${index}`}
            role="option"
            aria-selected={index === chosen}
            onPointerMove={() => setAt(index)}
            onClick={() => run(command)}
          >
            <Icon name={command.icon} />
            <span class="cut">{command.title}</span>
            <small>{command.hint}</small>
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="palette-none">{palette.none}</p>}
      <p class="unseen" role="status">{text ? palette.found(found.length) : ""}</p>
    </div>
  );
}

/** The records that a text finds, once typing pauses. */
function useRecords(text: string): readonly Command[] {
  const route = useDeparture();
  const [records, setRecords] = useState<readonly Command[]>([]);
  useEffect(() => {
    if (text.trim().length < 2) return setRecords([]);
    const controller = new AbortController();
    const timer = setTimeout(() => {
      findRecords(text.trim(), route, controller.signal).then(
        (found) => !controller.signal.aborted && setRecords(found),
        () => {},
      );
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text]);
  return records;
}
