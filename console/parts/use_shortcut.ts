// Shortcuts that hold as long as a component is shown.
import { useEffect, useRef } from "preact/hooks";
import { register, type Shortcut } from "../state/shortcuts.ts";

/** @param shortcut Null where there is none at present. */
export function useShortcut(shortcut: Shortcut | null): void {
  const latest = useRef(shortcut);
  latest.current = shortcut;
  const keys = shortcut?.keys;
  useEffect(() => {
    if (keys === undefined) return;
    const { label, scope, inFields } = latest.current!;
    return register({ keys, label, scope, inFields, run: (event) => latest.current?.run?.(event) });
  }, [keys]);
}
