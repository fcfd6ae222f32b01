// What every field has around it: label, hint, error, and the links between them.
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { classes } from "./classes.ts";
import { Icon } from "./icon.tsx";

/** What all fields take. */
export interface FieldCommon {
  label: string;
  /** Under the field, as long as nothing is wrong. */
  hint?: ComponentChildren;
  /** What is wrong with the value: at the field, and read out with it. */
  error?: string;
  required?: boolean;
  /** Of the field in the form; what the API calls it. */
  name?: string;
  /** The label is read out but not shown. */
  hideLabel?: boolean;
  id?: string;
  class?: string;
}

/** Parts what stands around a field from what the element takes that is filled in. */
export function parted<P extends FieldCommon>(
  { label, hint, error, required, name, hideLabel, id, class: extra, ...passed }: P,
): { frame: FieldCommon; passed: Omit<P, keyof FieldCommon> } {
  const frame = { label, hint, error, required, name, hideLabel, id, class: extra };
  return { frame, passed };
}

/** What the element that is filled in has to carry. */
export interface ControlProps {
  id: string;
  name?: string;
  required?: boolean;
  "aria-describedby"?: string;
  "aria-invalid"?: "true";
}

export interface FieldProps extends FieldCommon {
  /** For a control that is no native field: the label is a text that the control refers to by its id, `${id}-label`. */
  loose?: boolean;
  /** Behind the label, such as a link. */
  aside?: ComponentChildren;
  children: (control: ControlProps) => ComponentChildren;
}

/** The attributes by which an element with this id refers to its `FieldNotes`. */
export function notedBy(
  id: string,
  { hint, error }: Pick<FieldCommon, "hint" | "error">,
): Pick<ControlProps, "aria-describedby" | "aria-invalid"> {
  return {
    "aria-describedby": error ? `${id}-error` : hint ? `${id}-hint` : undefined,
    "aria-invalid": error ? "true" : undefined,
  };
}

/** A label, marked where the field is needed. */
export function LabelText({ label, required }: Pick<FieldCommon, "label" | "required">) {
  return (
    <>
      {label}
      {required && <span class="field-mark" aria-hidden="true">*</span>}
    </>
  );
}

/** A field: give the properties to the element that is filled in. */
export function Field(
  {
    label,
    hint,
    error,
    required,
    name,
    hideLabel,
    id: given,
    class: extra,
    loose,
    aside,
    children,
  }: FieldProps,
) {
  const made = useId();
  const id = given ?? made;
  const text = <LabelText label={label} required={required} />;
  const hidden = hideLabel && "unseen";
  return (
    <div class={classes("field", error && "field-wrong", extra)}>
      <div class={classes("field-head", hidden)}>
        {loose
          ? <span class="field-label" id={`${id}-label`}>{text}</span>
          : <label class="field-label" for={id} id={`${id}-label`}>{text}</label>}
        {aside}
      </div>
      {children({ id, name, required, ...notedBy(id, { hint, error }) })}
      <FieldNotes id={id} hint={hint} error={error} />
    </div>
  );
}

/** Hint or error, by the ids that controls describe themselves by. */
export function FieldNotes(
  { id, hint, error }: { id: string; hint?: ComponentChildren; error?: string },
) {
  if (error) {
    return (
      <p class="field-error" id={`${id}-error`}>
        <Icon name="error" size={14} />
        <span>{error}</span>
      </p>
    );
  }
  return hint ? <p class="field-hint" id={`${id}-hint`}>{hint}</p> : null;
}

/** Fields that belong together, under one legend. */
export function Fieldset(
  { legend, hint, children }: {
    legend: string;
    hint?: ComponentChildren;
    children: ComponentChildren;
  },
) {
  const id = useId();
  return (
    <fieldset class="fieldset" aria-describedby={hint ? `${id}-hint` : undefined}>
      <legend>{legend}</legend>
      <FieldNotes id={id} hint={hint} />
      {children}
    </fieldset>
  );
}
