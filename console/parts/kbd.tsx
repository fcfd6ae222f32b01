// Keys as they stand on the keyboard.
import { isMac } from "../state/shortcuts.ts";
import { classes } from "./classes.ts";

const SIGNS: Readonly<Record<string, string>> = {
  mod: isMac ? "⌘" : "Ctrl",
  meta: isMac ? "⌘" : "Win",
  ctrl: isMac ? "⌃" : "Ctrl",
  alt: isMac ? "⌥" : "Alt",
  shift: "⇧",
  Enter: "↵",
  Escape: "Esc",
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Backspace: "⌫",
  PageUp: "Page ↑",
  PageDown: "Page ↓",
};

export interface KbdProps {
  /** As shortcuts write them: `mod+k`, `g u`. */
  keys: string;
  class?: string;
}

export function Kbd({ keys, class: extra }: KbdProps) {
  return (
    <span class={classes("keys", extra)} dir="ltr">
      {keys.split(" ").map((step) => (
        <span class="keys-step" key={step}>
          {step.split("+").map((key) => (
            <kbd key={key}>{SIGNS[key] ?? (key.length === 1 ? key.toUpperCase() : key)}</kbd>
          ))}
        </span>
      ))}
    </span>
  );
}
