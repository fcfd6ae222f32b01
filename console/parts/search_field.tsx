// The field that searches what is below it.
import { useEffect, useRef, useState } from "preact/hooks";
import { IconButton } from "./button.tsx";
import { classes } from "./classes.ts";
import { Icon } from "./icon.tsx";
import { Kbd } from "./kbd.tsx";
import { texts } from "./texts.ts";
import { useShortcut } from "./use_shortcut.ts";

export interface SearchFieldProps {
  /** @default "Search" */
  label?: string;
  placeholder?: string;
  /** What is searched for at present. */
  value: string;
  /** Called when nothing was typed for a while, and at once by Enter and when it is cleared. */
  onChange: (value: string) => void;
  /** Milliseconds of that while. @default 250 */
  delay?: number;
  /** Whether `/` leads here. @default true */
  shortcut?: boolean;
  class?: string;
}

export function SearchField(
  {
    label = texts().search,
    placeholder = label,
    value,
    onChange,
    delay = 250,
    shortcut = true,
    class: extra,
  }: SearchFieldProps,
) {
  const [typed, setTyped] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  const reported = useRef(value);

  const report = (text: string) => {
    if (text === reported.current) return;
    reported.current = text;
    onChange(text);
  };
  const latest = useRef(report);
  latest.current = report;

  // Changed from outside, such as by going back.
  useEffect(() => {
    if (value === reported.current) return;
    reported.current = value;
    setTyped(value);
  }, [value]);
  useEffect(() => {
    const timer = setTimeout(() => latest.current(typed.trim()), delay);
    return () => clearTimeout(timer);
  }, [typed, delay]);
  useShortcut(
    shortcut ? { keys: "/", label: () => label, run: () => input.current?.select() } : null,
  );

  const clear = () => {
    setTyped("");
    report("");
    input.current?.focus();
  };
  return (
    <search class={classes("search-field input-frame", extra)}>
      <Icon name="search" class="input-icon" />
      <input
        ref={input}
        type="search"
        class="input input-with-icon input-with-button"
        aria-label={label}
        aria-keyshortcuts={shortcut ? "/" : undefined}
        placeholder={placeholder}
        value={typed}
        enterkeyhint="search"
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") report(typed.trim());
          else if (event.key === "Escape" && typed) {
            event.preventDefault();
            event.stopPropagation();
            clear();
          }
        }}
      />
      {typed
        ? (
          <IconButton
            class="input-button"
            size="s"
            icon="x"
            label={texts().clear}
            onClick={clear}
          />
        )
        : shortcut && <Kbd keys="/" class="search-key" />}
    </search>
  );
}
