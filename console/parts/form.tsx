// A form: sends itself, shows what is wrong, leads to the first field that has to be mended.
import type { ComponentChildren } from "preact";
import { useContext, useEffect, useRef } from "preact/hooks";
import { Button } from "./button.tsx";
import { classes } from "./classes.ts";
import { Notice } from "./problem.tsx";
import { texts } from "./texts.ts";
import { FormsInside, formsOfPage } from "./unsaved.ts";
import type { FormState } from "./use_form.ts";

export { type Bound, createForm, type FormOptions, type FormState, useForm } from "./use_form.ts";
export { type FormErrors, formErrors } from "./form_errors.ts";

export interface FormProps<V extends object> {
  form: FormState<V>;
  /** Its name, where no heading says it. */
  label?: string;
  id?: string;
  class?: string;
  /** What stands over an error of no field. @default that it could not be saved */
  problem?: string;
  /**
   * Whether leaving the page, or closing the dialog around, with changes asks first. `window`: only closing the window
   * does, as the values are kept for when one comes back. @default true
   */
  guarded?: boolean | "window";
  children: ComponentChildren;
}

export function Form<V extends object>(
  { form, label, id, class: extra, problem = texts().formProblem, guarded = true, children }:
    FormProps<V>,
) {
  const element = useRef<HTMLFormElement>(null);
  const { fields, summary } = form.errors.value;
  const wrong = Object.keys(fields).length;

  const siblings = useContext(FormsInside);
  useEffect(() => {
    if (guarded !== true) return;
    const groups = [formsOfPage, ...siblings ? [siblings] : []];
    for (const group of groups) group.add(form);
    return () => groups.forEach((group) => group.delete(form));
  }, [form, guarded, siblings]);

  // A page that is left by closing its window asks first.
  useEffect(() => {
    if (!guarded) return;
    const ask = (event: BeforeUnloadEvent) => {
      if (form.dirty.peek() && !form.busy.peek()) event.preventDefault();
    };
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [form, guarded]);

  return (
    <form
      ref={element}
      id={id}
      class={classes("form", extra)}
      aria-label={label}
      noValidate
      onSubmit={async (event) => {
        event.preventDefault();
        event.stopPropagation();
        if (await form.submit()) return;
        await Promise.resolve();
        requestAnimationFrame(() => focusWrong(element.current));
      }}
    >
      {summary !== null && <Notice tone="error" title={problem}>{summary}</Notice>}
      <p class="unseen" role="status">{wrong > 0 ? texts().checkFields(wrong) : ""}</p>
      {children}
    </form>
  );
}

/** Leads to the first field that has to be mended; of a group, which takes no focus itself, to the first in it. */
function focusWrong(form: HTMLFormElement | null): void {
  const wrong = form?.querySelector<HTMLElement>("[aria-invalid=true]");
  const inside = wrong?.matches("fieldset, [role=group]")
    ? wrong.querySelector<HTMLElement>(":enabled")
    : wrong;
  inside?.focus();
}

export interface FormActionsProps<V extends object> {
  form: FormState<V>;
  /** What the button says that sends it. @default "Save" */
  label?: string;
  /** Closes the form, or leaves it. */
  onCancel?: () => void;
  /** Only what was changed can be saved. @default false */
  whenDirty?: boolean;
  danger?: boolean;
  /** At the other end. */
  children?: ComponentChildren;
  /** The form's id, where the buttons stand outside it. */
  for?: string;
}

export function FormActions<V extends object>(
  { form, label = texts().save, onCancel, whenDirty = false, danger, children, for: id }:
    FormActionsProps<V>,
) {
  return (
    <div class="form-actions">
      {children && <div class="form-actions-aside">{children}</div>}
      {onCancel && <Button onClick={onCancel}>{texts().cancel}</Button>}
      <Button
        type="submit"
        form={id}
        kind={danger ? "danger" : "primary"}
        busy={form.busy.value}
        // Not disabled: whoever has saved by it would lose the focus.
        aria-disabled={whenDirty && !form.dirty.value}
      >
        {label}
      </Button>
    </div>
  );
}
