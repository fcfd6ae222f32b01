// The options of a combobox, loaded while one types.
import { useEffect, useState } from "preact/hooks";

/** Milliseconds without a key after which is searched. */
const PAUSE = 150;

interface Loaded<O> {
  /** What they were searched by. */
  readonly search: string | null;
  readonly options: readonly O[];
  readonly loading: boolean;
  /** Why there are none. */
  readonly failed: string | null;
}

export function useOptions<O>(
  load: (search: string, signal: AbortSignal) => Promise<readonly O[]>,
  search: string,
  open: boolean,
): Loaded<O> {
  const [loaded, setLoaded] = useState<Loaded<O>>({
    search: null,
    options: [],
    loading: true,
    failed: null,
  });
  useEffect(() => {
    if (!open) return;
    const controller = new AbortController();
    setLoaded((before) => ({ ...before, loading: true }));
    const timer = setTimeout(async () => {
      try {
        const options = await load(search.trim(), controller.signal);
        if (!controller.signal.aborted) {
          setLoaded({ search, options, loading: false, failed: null });
        }
      } catch (error) {
        if (controller.signal.aborted) return;
        setLoaded({ search, options: [], loading: false, failed: (error as Error).message });
      }
    }, search ? PAUSE : 0);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [search, open]);
  // Those of what was typed before are no answer to what is typed now.
  return { ...loaded, loading: loaded.loading || loaded.search !== search };
}
