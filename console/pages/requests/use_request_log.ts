// Follows the server's log of requests as long as a page shows it.
import { useEffect, useRef, useState } from "preact/hooks";
import { listRecentRequests, type RequestReport, streamRequests } from "../../../client/mod.ts";
import { added, Arrivals, EMPTY, type Log, released } from "../../state/request_log.ts";

/** Milliseconds in which what comes is gathered, so that a busy server does not draw a table a thousand times. */
const GATHER = 200;

/** How often the stream is begun anew before the page says that it has ended. */
const TRIES = 5;

export interface RequestLog {
  readonly rows: readonly RequestReport[];
  readonly held: number;
  readonly skipped: number;
  readonly following: boolean;
  /** The server has ended the stream, or cannot be reached. */
  readonly ended: boolean;
  pause(): void;
  follow(): void;
  clear(): void;
}

export function useRequestLog(): RequestLog {
  const [log, setLog] = useState<Log>(EMPTY);
  const [following, setFollowing] = useState(true);
  const [ended, setEnded] = useState(false);
  const [tries, setTries] = useState(0);
  const paused = useRef(false);
  paused.current = !following;

  useEffect(() => {
    const controller = new AbortController();
    const came: RequestReport[] = [];
    let skipped = 0;
    const show = () => {
      const taken = came.splice(0);
      const more = skipped;
      skipped = 0;
      if (taken.length === 0 && more === 0) return;
      setLog((before) => ({
        ...added(before, taken, paused.current),
        skipped: before.skipped + more,
      }));
    };
    const timer = setInterval(show, GATHER);
    setEnded(false);
    void read(controller.signal, {
      onRequest: (request) => came.push(request),
      onSkipped: (count) => skipped += count,
    }).catch(() => {}).finally(() => !controller.signal.aborted && setEnded(true));
    return () => {
      clearInterval(timer);
      controller.abort();
    };
  }, [tries]);

  return {
    rows: log.rows,
    held: log.held.length,
    skipped: log.skipped,
    following: following && !ended,
    ended,
    pause: () => setFollowing(false),
    follow() {
      setFollowing(true);
      setLog(released);
      if (ended) setTries(tries + 1);
    },
    clear: () => setLog(EMPTY),
  };
}

interface Told {
  readonly onRequest: (request: RequestReport) => void;
  readonly onSkipped: (count: number) => void;
}

async function read(signal: AbortSignal, { onRequest, onSkipped }: Told): Promise<void> {
  const arrivals = new Arrivals(onRequest);
  const readRecent = async () => {
    arrivals.reading();
    const answer = await listRecentRequests({ signal }).catch(() => null);
    arrivals.list(answer?.data ?? []);
  };
  void readRecent();
  let begins = true;
  const { stream } = await streamRequests({
    signal,
    sseMaxRetryAttempts: TRIES,
    // It is begun anew, and does not repeat what it has not told meanwhile.
    onSseError: () => begins = true,
    onSseEvent({ event, data }) {
      // The first that comes, be it empty, says that from now on nothing is missed.
      if (begins) void readRecent();
      begins = false;
      if (event === "skipped") onSkipped((data as unknown as { count: number }).count);
      if (event === "request") arrivals.came(data as unknown as RequestReport);
    },
  });
  for await (const _ of stream) {
    // Taken above, by the name of the event.
  }
}
