// What a combobox does: how an option is chosen and dropped, by pointer and by keys.
import { useEffect, useRef } from "preact/hooks";
import type { Choice } from "./choice_fields.tsx";
import { useComboList } from "./use_combo_list.ts";

export interface ComboboxOptions<O extends Choice> {
  /** What is chosen: one at most, without `multiple`. */
  value: readonly O[];
  onChange: (value: readonly O[]) => void;
  /** Those that fit what was typed; an empty text asks for the first ones to offer. */
  load: (search: string, signal: AbortSignal) => Promise<readonly O[]>;
  multiple?: boolean;
  disabled?: boolean;
}

export type Combo<O extends Choice> = ReturnType<typeof useCombobox<O>>;

export function useCombobox<O extends Choice>(
  { value, onChange, load, multiple = false, disabled }: ComboboxOptions<O>,
) {
  const input = useRef<HTMLInputElement>(null);
  const list = useComboList({ load, disabled });
  const { typed, open, options, loading } = list;

  const without = (option: O) => value.filter((one) => one.value !== option.value);
  const choose = (option: O | undefined) => {
    if (!option || option.disabled) return;
    if (!multiple) {
      onChange([option]);
      return list.hide();
    }
    const others = without(option);
    onChange(others.length < value.length ? others : [...value, option]);
    list.searchAnew();
  };
  const drop = (option: O) => {
    onChange(without(option));
    input.current?.focus();
  };

  // Who types and presses Enter wants what they typed, not what stood there before it was found.
  const waiting = useRef(false);
  const chooseActive = () => {
    if (loading) waiting.current = true;
    else choose(options[list.active]);
  };
  useEffect(() => {
    if (loading || !waiting.current) return;
    waiting.current = false;
    if (open) choose(options[0]);
  }, [loading]);
  const type = (text: string) => {
    waiting.current = false;
    list.type(text);
  };

  const keys: Record<string, () => void> = {
    ArrowDown: () => list.move(1),
    ArrowUp: () => list.move(-1),
    ...(open ? { Enter: chooseActive, Escape: list.hide } : {}),
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Else the list would have the focus next, and take it along as it hides.
    if (event.key === "Tab") list.hide();
    const run = keys[event.key];
    if (run) {
      event.preventDefault();
      event.stopPropagation();
      run();
    } else if (event.key === "Backspace" && !typed && multiple) {
      onChange(value.slice(0, -1));
    }
  };
  return { ...list, input, choose, drop, type, onKeyDown };
}
