// A field that finds what is chosen while one types: the combobox pattern of ARIA's authoring practices.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Avatar } from "./avatar.tsx";
import type { Choice } from "./choice_fields.tsx";
import { classes } from "./classes.ts";
import { Field, type FieldCommon } from "./field_frame.tsx";
import { usePlace } from "./floating.ts";
import { Icon } from "./icon.tsx";
import { Spinner } from "./spinner.tsx";
import { texts } from "./texts.ts";
import { useOptions } from "./use_options.ts";

export interface ComboboxProps<O extends Choice> extends FieldCommon {
  /** What is chosen: one at most, without `multiple`. */
  value: readonly O[];
  onChange: (value: readonly O[]) => void;
  /** Those that fit what was typed; an empty text asks for the first ones to offer. */
  load: (search: string, signal: AbortSignal) => Promise<readonly O[]>;
  multiple?: boolean;
  placeholder?: string;
  disabled?: boolean;
  autofocus?: boolean;
  /** What stands before the label of an option, such as a picture. */
  mark?: (option: O) => ComponentChildren;
}

export function Combobox<O extends Choice>(
  { value, onChange, load, multiple = false, placeholder, disabled, autofocus, mark, ...frame }:
    ComboboxProps<O>,
) {
  const [typed, setTyped] = useState<string | null>(null);
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const anchor = useRef<HTMLSpanElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const { options, loading, failed } = useOptions(load, typed ?? "", open);
  usePlace(panel, anchor, open);

  const single = multiple ? undefined : value[0];
  const chosen = new Set(value.map((option) => option.value));

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
  const choose = (option: O | undefined) => {
    if (!option || option.disabled) return;
    if (!multiple) {
      onChange([option]);
      return hide();
    }
    const without = value.filter((one) => one.value !== option.value);
    onChange(without.length < value.length ? without : [...value, option]);
    setTyped("");
  };
  const drop = (option: O) => {
    onChange(value.filter((one) => one.value !== option.value));
    input.current?.focus();
  };

  // Who types and presses Enter wants what they typed, not what stood there before it was found.
  const waiting = useRef(false);
  const chooseActive = () => {
    if (loading) waiting.current = true;
    else choose(options[active]);
  };
  useEffect(() => {
    if (loading || !waiting.current) return;
    waiting.current = false;
    if (open) choose(options[0]);
  }, [loading]);

  const keys: Record<string, () => void> = {
    ArrowDown: () => open ? setActive((active + 1) % Math.max(options.length, 1)) : show(),
    ArrowUp: () =>
      open ? setActive((active + options.length - 1) % Math.max(options.length, 1)) : show(),
    ...(open ? { Enter: chooseActive, Escape: hide } : {}),
  };

  return (
    <Field {...frame}>
      {(control) => (
        <>
          <span
            ref={anchor}
            class={classes("input input-frame combo", disabled && "combo-disabled")}
            onClick={() => input.current?.focus()}
          >
            {single && mark && typed === null && <span class="combo-mark">{mark(single)}</span>}
            {multiple &&
              value.map((option) => (
                <Chip
                  key={option.value}
                  label={option.label}
                  onRemove={() => drop(option)}
                  mark={mark?.(option)}
                />
              ))}
            <input
              {...control}
              // The list is no list of suggestions that would be remembered by the name.
              name={undefined}
              required={control.required && value.length === 0}
              ref={input}
              class="combo-input"
              role="combobox"
              autocomplete="off"
              spellcheck={false}
              autofocus={autofocus}
              disabled={disabled}
              aria-expanded={open}
              aria-controls={`${control.id}-list`}
              aria-autocomplete="list"
              aria-activedescendant={open && options[active]
                ? `${control.id}-${active}`
                : undefined}
              placeholder={value.length === 0 ? placeholder ?? texts().choose : undefined}
              value={typed ?? single?.label ?? ""}
              onInput={(event) => {
                waiting.current = false;
                setTyped(event.currentTarget.value);
                setActive(0);
                show();
              }}
              onClick={show}
              onFocus={(event) => single && event.currentTarget.select()}
              onBlur={hide}
              onKeyDown={(event) => {
                const run = keys[event.key];
                if (run) {
                  event.preventDefault();
                  event.stopPropagation();
                  run();
                } else if (event.key === "Backspace" && !typed && multiple) {
                  onChange(value.slice(0, -1));
                }
              }}
            />
            {loading && open
              ? <Spinner size={14} label="" />
              : !multiple && single && !frame.required && !disabled
              ? (
                <button
                  type="button"
                  class="chip-remove"
                  aria-label={texts().remove(single.label)}
                  onClick={() => drop(single)}
                >
                  <Icon name="x" size={12} />
                </button>
              )
              : <Icon name="chevron-down" size={14} class="combo-chevron" />}
          </span>
          <div
            ref={panel}
            popover="manual"
            class="float combo-list"
            // Keeps the focus in the field.
            onMouseDown={(event) => event.preventDefault()}
          >
            <div
              role="listbox"
              id={`${control.id}-list`}
              aria-label={frame.label}
              aria-multiselectable={multiple || undefined}
            >
              {open && options.map((option, index) => (
                <div
                  key={option.value}
                  id={`${control.id}-${index}`}
                  ref={(row) => {
                    if (index === active) row?.scrollIntoView({ block: "nearest" });
                  }}
                  role="option"
                  class={classes("option", index === active && "option-active")}
                  aria-selected={chosen.has(option.value)}
                  aria-disabled={option.disabled}
                  onMouseMove={() => setActive(index)}
                  onClick={() => choose(option)}
                >
                  {mark?.(option)}
                  <span class="option-text">
                    <span class="cut">{option.label}</span>
                    {option.description && (
                      <span class="option-description cut">{option.description}</span>
                    )}
                  </span>
                  {chosen.has(option.value) && <Icon name="check" />}
                </div>
              ))}
            </div>
            <p class={classes("combo-note", options.length > 0 && "unseen")} role="status">
              {!open
                ? ""
                : loading
                ? texts().searching
                : failed
                ? failed
                : options.length === 0
                ? texts().noMatch
                : texts().options(options.length)}
            </p>
          </div>
        </>
      )}
    </Field>
  );
}

/** Something chosen, that can be taken away. */
export function Chip(
  { label, mark, onRemove }: { label: string; mark?: ComponentChildren; onRemove?: () => void },
) {
  return (
    <span class="chip">
      {mark}
      <span class="cut">{label}</span>
      {onRemove && (
        <button
          type="button"
          class="chip-remove"
          aria-label={texts().remove(label)}
          onClick={(event) => {
            event.stopPropagation();
            onRemove();
          }}
        >
          <Icon name="x" size={12} />
        </button>
      )}
    </span>
  );
}

export interface PersonChoice extends Choice {
  /** The address of the picture. */
  readonly src?: string | null;
}

/** Chooses people: `value` is the id, `label` the name, `description` the e-mail address. */
export function PersonPicker(props: Omit<ComboboxProps<PersonChoice>, "mark">) {
  return (
    <Combobox
      {...props}
      mark={(person) => <Avatar name={person.label} src={person.src} size="s" />}
    />
  );
}
