// What is written and not saved is kept in the tab, also when the page is left.
import { useEffect, useRef } from "preact/hooks";
import { type Draft, keepDraft } from "./draft.ts";

/** Milliseconds of rest after which it is kept. */
const KEEP = 300;

/** @param draftOf What is to be kept as things stand; null where all is saved. */
export function useKeptDraft(
  { authorId, id }: { readonly authorId: string; readonly id: string },
  draftOf: () => Draft | null,
  content: string,
): void {
  const latest = useRef(draftOf);
  latest.current = draftOf;
  const keep = () => keepDraft(sessionStorage, authorId, id, latest.current());
  useEffect(() => {
    const timer = setTimeout(keep, KEEP);
    return () => clearTimeout(timer);
  }, [content]);
  useEffect(() => {
    addEventListener("pagehide", keep);
    return () => {
      removeEventListener("pagehide", keep);
      keep();
    };
  }, []);
}
