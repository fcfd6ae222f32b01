// Keys that do something, wherever one is: registered by what is shown, listed for the help, asleep while text is typed.
import { signal } from "@preact/signals";

export interface Shortcut {
  /**
   * One key (`/`, `?`, `Escape`), keys pressed together (`mod+k`; mod is Command on a Mac and Control elsewhere), or keys
   * pressed one after the other, with a space between (`g u`). Letters are small; `?` and the like are written as typed.
   */
  readonly keys: string;
  /** What it does, for the list of shortcuts; called when that is shown, so that it speaks the present language. */
  readonly label: string | (() => string);
  /** Without it, the part that has the focus takes the keys by itself, and they are listed alone. */
  readonly run?: (event: KeyboardEvent) => void;
  /** The heading that the list of shortcuts shows it under. @default that of the page */
  readonly scope?: string | (() => string);
  /** Works while text is typed, too. @default false, but true with mod */
  readonly inFields?: boolean;
}

/** All that are in force; those registered later come first where two have the same keys. */
export const shortcuts = signal<readonly Shortcut[]>([]);

/** Milliseconds in which the next key of a sequence has to follow. */
const SEQUENCE = 1200;

/** @returns What takes it back. */
export function register(shortcut: Shortcut): () => void {
  shortcuts.value = [...shortcuts.peek(), shortcut];
  return () => {
    shortcuts.value = shortcuts.peek().filter((one) => one !== shortcut);
  };
}

/** Whether the platform writes mod as ⌘. */
export const isMac = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "");

/** A pressed key as shortcuts name it: `mod+k`, `?`, `Escape`. */
export function keyOf(
  event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">,
  mac = isMac,
): string {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
  const letter = key.length === 1;
  return [
    (mac ? metaKey : ctrlKey) && "mod",
    (mac ? ctrlKey : metaKey) && (mac ? "ctrl" : "meta"),
    altKey && "alt",
    // Shift has already made another character of the key.
    shiftKey && !(letter && key.toLowerCase() === key.toUpperCase()) && "shift",
    letter ? key.toLowerCase() : key,
  ].filter(Boolean).join("+");
}

/** Which shortcut a row of pressed keys is: the whole, a beginning, or none. */
export function match(
  pressed: readonly string[],
  known: readonly Shortcut[],
): Shortcut | "begun" | null {
  const typed = pressed.join(" ");
  const whole = known.findLast(({ keys }) => keys === typed);
  if (whole) return whole;
  return known.some(({ keys }) => keys.startsWith(`${typed} `)) ? "begun" : null;
}

/** Whether keys belong to what has the focus: text that is typed, a list that is moved in. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest("[role=menu], [role=listbox], [role=combobox]")) return true;
  const field = target.closest("input, textarea, select, [contenteditable]");
  if (!field) return false;
  return !(field instanceof HTMLInputElement) ||
    !["checkbox", "radio", "button", "submit", "reset", "range"].includes(field.type);
}

/** Listens from now on. @returns What ends that. */
export function followShortcuts(): () => void {
  let pressed: string[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  function take(event: KeyboardEvent) {
    if (event.defaultPrevented || event.isComposing || event.repeat) return;
    if (["Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
    const typing = isTyping(event.target);
    const modal = document.querySelector("dialog:modal") !== null;
    const usable = shortcuts.peek().filter(({ keys, run, inFields = keys.includes("mod+") }) =>
      run && (inFields || !typing) && (!modal || inFields)
    );
    const key = keyOf(event);
    clearTimeout(timer);
    let found = match([...pressed, key], usable);
    // A key that does not go on with a sequence begins anew.
    if (found === null && pressed.length > 0) {
      pressed = [];
      found = match([key], usable);
    }
    if (found === "begun") {
      pressed = [...pressed, key];
      timer = setTimeout(() => pressed = [], SEQUENCE);
      return;
    }
    pressed = [];
    if (found) {
      event.preventDefault();
      found.run?.(event);
    }
  }

  document.addEventListener("keydown", take);
  return () => {
    clearTimeout(timer);
    document.removeEventListener("keydown", take);
  };
}
