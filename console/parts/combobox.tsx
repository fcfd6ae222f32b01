// A field that finds what is chosen while one types: the combobox pattern of ARIA's authoring practices.
import type { ComponentChildren } from "preact";
import { Avatar } from "./avatar.tsx";
import type { Choice } from "./choice_fields.tsx";
import { classes } from "./classes.ts";
import { ComboList } from "./combo_list.tsx";
import { type ControlProps, Field, type FieldCommon, parted } from "./field_frame.tsx";
import { Icon } from "./icon.tsx";
import { Spinner } from "./spinner.tsx";
import { texts } from "./texts.ts";
import { type Combo, type ComboboxOptions, useCombobox } from "./use_combobox.ts";

export interface ComboboxProps<O extends Choice> extends FieldCommon, ComboboxOptions<O> {
  placeholder?: string;
  autofocus?: boolean;
  /** What stands before the label of an option, such as a picture. */
  mark?: (option: O) => ComponentChildren;
}

export function Combobox<O extends Choice>(props: ComboboxProps<O>) {
  const { value, multiple, mark } = props;
  const { frame } = parted(props);
  const combo = useCombobox(props);
  return (
    <Field {...frame}>
      {(control) => (
        <>
          <ComboFrame field={props} control={control} combo={combo} />
          <ComboList
            combo={combo}
            id={control.id}
            label={frame.label}
            value={value}
            multiple={multiple}
            mark={mark}
          />
        </>
      )}
    </Field>
  );
}

interface PartProps<O extends Choice> {
  field: ComboboxProps<O>;
  control: ControlProps;
  combo: Combo<O>;
}

/** Where one types, and what is chosen. */
function ComboFrame<O extends Choice>({ field, control, combo }: PartProps<O>) {
  const { value, multiple, mark, disabled } = field;
  const single = singleOf(field);
  return (
    <span
      ref={combo.anchor}
      class={classes("input input-frame combo", disabled && "combo-disabled")}
      onClick={() => combo.input.current?.focus()}
    >
      {single && mark && combo.typed === null && <span class="combo-mark">{mark(single)}</span>}
      {multiple &&
        value.map((option) => (
          <Chip
            key={option.value}
            label={option.label}
            onRemove={() => combo.drop(option)}
            mark={mark?.(option)}
          />
        ))}
      <ComboInput field={field} control={control} combo={combo} />
      {combo.loading && combo.open
        ? <Spinner size={14} label="" />
        : single && !field.required && !disabled
        ? (
          <button
            type="button"
            class="chip-remove"
            aria-label={texts().remove(single.label)}
            onClick={() => combo.drop(single)}
          >
            <Icon name="x" size={12} />
          </button>
        )
        : <Icon name="chevron-down" size={14} class="combo-chevron" />}
    </span>
  );
}

function ComboInput<O extends Choice>({ field, control, combo }: PartProps<O>) {
  const { value, placeholder, autofocus, disabled } = field;
  const { open } = combo;
  const single = singleOf(field);
  return (
    <input
      {...control}
      // The list is no list of suggestions that would be remembered by the name.
      name={undefined}
      required={control.required && value.length === 0}
      ref={combo.input}
      class="combo-input"
      role="combobox"
      autocomplete="off"
      spellcheck={false}
      autofocus={autofocus}
      disabled={disabled}
      aria-expanded={open}
      aria-controls={`${control.id}-list`}
      aria-autocomplete="list"
      aria-activedescendant={open && combo.options[combo.active]
        ? `${control.id}-${combo.active}`
        : undefined}
      placeholder={value.length === 0 ? placeholder ?? texts().choose : undefined}
      value={combo.typed ?? single?.label ?? ""}
      onInput={(event) => combo.type(event.currentTarget.value)}
      onClick={combo.show}
      onFocus={(event) => single && event.currentTarget.select()}
      onBlur={combo.hide}
      onKeyDown={combo.onKeyDown}
    />
  );
}

/** What is chosen, where it is one at most. */
function singleOf<O extends Choice>({ multiple, value }: ComboboxProps<O>): O | undefined {
  return multiple ? undefined : value[0];
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
