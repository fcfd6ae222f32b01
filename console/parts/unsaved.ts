// Forms in a dialog whose values would be lost with it: the dialog asks before it closes by accident.
import { createContext } from "preact";
import type { FormState } from "./use_form.ts";

export type FormInside = Pick<FormState<object>, "dirty" | "busy">;

/** The forms in the dialog around; null outside of any. */
export const FormsInside = createContext<Set<FormInside> | null>(null);

export function holdsUnsaved(forms: ReadonlySet<FormInside>): boolean {
  return [...forms].some(({ dirty, busy }) => dirty.peek() && !busy.peek());
}
