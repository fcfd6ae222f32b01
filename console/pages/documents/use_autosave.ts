// Saves what is written by itself: after a rest, and once the server is there again.
import { useEffect } from "preact/hooks";

/** Milliseconds of rest after which the text is saved by itself: each saving makes a revision. */
const AUTOSAVE = 10_000;
/** Milliseconds between two tries while the server is away. */
const RETRY = 5000;

/** @param content Each change of it begins the rest anew. */
export function useAutosave(on: boolean, content: string, save: () => unknown): void {
  useEffect(() => {
    if (!on) return;
    const timer = setTimeout(save, AUTOSAVE);
    return () => clearTimeout(timer);
  }, [on, content]);
}

/** @param away Whether the last saving failed because nothing answered. */
export function useRetry(away: boolean, save: () => unknown): void {
  useEffect(() => {
    if (!away) return;
    const again = () => void save();
    const timer = setInterval(again, RETRY);
    addEventListener("online", again);
    return () => {
      clearInterval(timer);
      removeEventListener("online", again);
    };
  }, [away]);
}
