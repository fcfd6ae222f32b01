// Changing many users: how far it is, how it is stopped, and what has come of it.
import { useRef, useState } from "preact/hooks";
import type { Outcome } from "../../state/batch_outcome.ts";
import type { Bulk } from "../../state/batches.ts";
import { refresh } from "../../state/query.ts";
import { toast } from "../../state/toasts.ts";

interface BulkRunOptions {
  readonly ids: readonly string[];
  /** What is told of those that were changed. */
  readonly told: (count: number) => string;
  /** Called when all of them were changed. */
  readonly onDone: () => void;
}

export function useBulkRun({ ids, told, onDone }: BulkRunOptions) {
  const [seen, setSeen] = useState<number | null>(null);
  /** Whether no more is to be done than what is under way. */
  const stopped = useRef(false);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [problem, setProblem] = useState<string | null>(null);

  const run = async (bulk: Bulk) => {
    setProblem(null);
    setSeen(0);
    stopped.current = false;
    try {
      const result = await bulk(ids, (count) => {
        setSeen(count);
        return !stopped.current;
      });
      const count = result.done.length;
      if (count > 0) toast({ text: told(count) });
      if (result.refused.length === 0) onDone();
      else setOutcome(result);
    } catch (error) {
      setProblem((error as Error).message);
    } finally {
      setSeen(null);
      refresh("users", "dashboard");
    }
  };

  return {
    /** How many have been seen to; null where it is not under way. */
    seen,
    /** What has come of it, where the server has left some as they are. */
    outcome,
    /** Why nothing has come of it. */
    problem,
    run,
    stop: () => void (stopped.current = true),
  };
}
