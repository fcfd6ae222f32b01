// Fields that choose: one of a list, one of a few, yes or no.
import type { InputHTMLAttributes, SelectHTMLAttributes } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { classes } from "./classes.ts";
import { Field, type FieldCommon, FieldNotes, LabelText, notedBy, parted } from "./field_frame.tsx";
import { Icon } from "./icon.tsx";
import type { Valued } from "./text_field.tsx";

export interface Choice<V extends string = string> {
  readonly value: V;
  readonly label: string;
  /** Shown by radio buttons and comboboxes. */
  readonly description?: string;
  readonly disabled?: boolean;
}

type OwnOfSelect =
  | keyof FieldCommon
  | "role"
  | "multiple"
  | "value"
  | "onChange"
  | "children"
  | "size"
  | "label"
  | "class";

export interface SelectProps<V extends string>
  extends FieldCommon, Valued<V>, Omit<SelectHTMLAttributes<HTMLSelectElement>, OwnOfSelect> {
  options: readonly Choice<V>[];
  /** What stands there as long as nothing is chosen, for the value `""`. */
  placeholder?: string;
  /** @default "m" */
  size?: "s" | "m";
}

export function Select<V extends string>(
  {
    value,
    onChange,
    options,
    placeholder,
    size = "m",
    ...rest
  }: SelectProps<V>,
) {
  const { frame, passed } = parted(rest);
  return (
    <Field {...frame}>
      {(control) => (
        <span class="input-frame">
          <select
            {...passed}
            {...control}
            class={classes("input input-select", size === "s" && "input-small")}
            value={value}
            onChange={(event) => onChange(event.currentTarget.value as V)}
          >
            {placeholder !== undefined && <option value="">{placeholder}</option>}
            {options.map((option) => (
              <option
                key={option.value}
                value={option.value}
                disabled={option.disabled}
                selected={option.value === value}
              >
                {option.label}
              </option>
            ))}
          </select>
          <Icon name="chevron-down" size={14} class="input-chevron" />
        </span>
      )}
    </Field>
  );
}

type OwnOfCheck =
  | keyof FieldCommon
  | "value"
  | "onChange"
  | "checked"
  | "type"
  | "ref"
  | "label"
  | "class"
  | "size";

export interface CheckboxProps
  extends FieldCommon, Valued<boolean>, Omit<InputHTMLAttributes<HTMLInputElement>, OwnOfCheck> {
  /** Some of what it stands for is chosen, and some not. */
  mixed?: boolean;
}

/** Whether a box is half checked is no attribute: it is set on the element. */
function useMixed(mixed = false) {
  const box = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    box.current!.indeterminate = mixed;
  }, [mixed]);
  return box;
}

/** The box alone, for tables and lists. */
export function CheckBox(
  { label, value, mixed, onChange, ...passed }:
    & { label: string; value: boolean; mixed?: boolean; onChange?: (value: boolean) => void }
    & Omit<InputHTMLAttributes<HTMLInputElement>, OwnOfCheck>,
) {
  const box = useMixed(mixed);
  return (
    <span class="check-target">
      <input
        aria-label={label}
        {...passed as object}
        ref={box}
        type="checkbox"
        class="check"
        checked={value}
        onChange={(event) => onChange?.(event.currentTarget.checked)}
      />
    </span>
  );
}

function Check(
  {
    look,
    mixed,
    label,
    hint,
    error,
    required,
    name,
    id: given,
    class: extra,
    value,
    onChange,
    ...passed
  }:
    & Omit<CheckboxProps, "hideLabel">
    & { look: "check" | "switch"; hideLabel?: boolean },
) {
  const made = useId();
  const id = given ?? made;
  const box = useMixed(mixed);
  const { hideLabel, ...attributes } = passed;
  return (
    <div class={classes("field", error && "field-wrong", extra)}>
      <label class={classes("choice", look === "switch" && "choice-switch")} for={id}>
        <input
          {...attributes as object}
          ref={box}
          type="checkbox"
          role={look === "switch" ? "switch" : undefined}
          id={id}
          name={name}
          required={required}
          class={look}
          checked={value}
          {...notedBy(id, { hint, error })}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        <span class={classes("choice-text", hideLabel && "unseen")}>{label}</span>
      </label>
      <FieldNotes id={id} hint={hint} error={error} />
    </div>
  );
}

export function Checkbox(props: CheckboxProps) {
  return <Check look="check" {...props} />;
}

/** Takes effect at once; in a form that is saved as a whole, a checkbox says that better. */
export function Switch(props: Omit<CheckboxProps, "mixed">) {
  return <Check look="switch" {...props} />;
}

export interface RadioGroupProps<V extends string> extends FieldCommon, Valued<V> {
  options: readonly Choice<V>[];
  /** Beside each other, as a bar of segments. */
  segmented?: boolean;
}

export function RadioGroup<V extends string>(
  {
    label,
    hint,
    error,
    required,
    name,
    hideLabel,
    id: given,
    class: extra,
    value,
    onChange,
    options,
    segmented,
  }: RadioGroupProps<V>,
) {
  const made = useId();
  const id = given ?? made;
  return (
    <fieldset
      id={id}
      class={classes("field", error && "field-wrong", extra)}
      role="radiogroup"
      aria-required={required}
      {...notedBy(id, { hint, error })}
    >
      <legend class={classes("field-label", hideLabel && "unseen")}>
        <LabelText label={label} required={required} />
      </legend>
      <div class={segmented ? "segments" : "choices"}>
        {options.map((option) => (
          <label key={option.value} class={segmented ? "segment" : "choice"}>
            <input
              type="radio"
              class={segmented ? "unseen" : "radio"}
              name={name ?? id}
              value={option.value}
              checked={option.value === value}
              disabled={option.disabled}
              onChange={() => onChange(option.value)}
            />
            <span class="choice-text">
              {option.label}
              {option.description && <span class="choice-description">{option.description}</span>}
            </span>
          </label>
        ))}
      </div>
      <FieldNotes id={id} hint={hint} error={error} />
    </fieldset>
  );
}
