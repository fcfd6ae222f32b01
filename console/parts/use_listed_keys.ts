// The keys of a part of the page stand in the list of shortcuts as long as it is shown; the part takes them by itself.
import { useEffect } from "preact/hooks";
import { register } from "../state/shortcuts.ts";

/** Keys as shortcuts write them, and what they do, in the present language. */
export type ListedKeys = readonly (readonly [keys: string, label: () => string])[];

/** @param listed The same keys have the same labels: it is told anew where the keys are others. */
export function useListedKeys(scope: () => string, listed: ListedKeys): void {
  useEffect(() => {
    const undo = listed.map(([keys, label]) => register({ keys, label, scope }));
    return () => undo.forEach((back) => back());
  }, [listed.map(([keys]) => keys).join(", ")]);
}
