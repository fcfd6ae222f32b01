// Forms whose values would be lost with the page or the dialog that they are in: it asks before it goes by accident.
import { createContext } from "preact";
import type { FormState } from "./use_form.ts";

export type FormInside = Pick<FormState<object>, "dirty" | "busy">;

/** All forms that are shown, but those whose values are kept when the page goes. */
export const formsOfPage = new Set<FormInside>();

/** The forms in the dialog around; null outside of any. */
export const FormsInside = createContext<Set<FormInside> | null>(null);

export function holdsUnsaved(forms: ReadonlySet<FormInside>): boolean {
  return [...forms].some(({ dirty, busy }) => dirty.peek() && !busy.peek());
}
