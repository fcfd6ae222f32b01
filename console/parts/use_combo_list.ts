// The list of a combobox: whether it is open, what it offers for what is typed, and which option is the active one.
import { useRef, useState } from "preact/hooks";
import { usePlace } from "./floating.ts";
import { useOptions } from "./use_options.ts";

interface ComboListOptions<O> {
  /** Those that fit what was typed; an empty text asks for the first ones to offer. */
  load: (search: string, signal: AbortSignal) => Promise<readonly O[]>;
  disabled: boolean | undefined;
}

export function useComboList<O>({ load, disabled }: ComboListOptions<O>) {
  /** Null where nothing was typed since the list was opened. */
  const [typed, setTyped] = useState<string | null>(null);
  const [open, setOpen] = useState(false);
  /** The place of the option that Enter chooses. */
  const [active, setActive] = useState(0);
  /** What the list stands at. */
  const anchor = useRef<HTMLSpanElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const { options, loading, failed } = useOptions(load, typed ?? "", open);
  usePlace(panel, anchor, open);

  const show = () => {
    if (open || disabled) return;
    setOpen(true);
    setActive(0);
    panel.current?.showPopover();
  };
  const hide = () => {
    setOpen(false);
    setTyped(null);
    panel.current?.hidePopover();
  };
  const type = (text: string) => {
    setTyped(text);
    setActive(0);
    show();
  };
  /** Makes the next option the active one, or the one before, counted around. */
  const move = (step: 1 | -1) => {
    if (!open) return show();
    setActive((active + options.length + step) % Math.max(options.length, 1));
  };
  /** Looks for all again, as after one was chosen of several. */
  const searchAnew = () => setTyped("");

  return {
    anchor,
    panel,
    typed,
    open,
    active,
    options,
    loading,
    failed,
    setActive,
    show,
    hide,
    type,
    move,
    searchAnew,
  };
}
