// Work that goes on beside requests: each job runs on its own interval, never twice at once.
import { getLogger } from "@logtape/logtape";
import { fireDueReminders } from "./services/reminders.ts";
import type { Services } from "./services/services.ts";
import { sweep } from "./services/sweep.ts";

interface Job {
  readonly name: string;
  /** Milliseconds between the end of one run and the start of the next. */
  readonly every: number;
  run(services: Services): Promise<void>;
}

const SECOND = 1000;
const HOUR = 60 * 60 * SECOND;

const jobs: readonly Job[] = [
  { name: "count visits", every: 5 * SECOND, run: ({ visits }) => visits.flush() },
  {
    name: "count document views",
    every: 5 * SECOND,
    run: ({ documentViews }) => documentViews.flush(),
  },
  { name: "fire reminders", every: 5 * SECOND, run: fireDueReminders },
  { name: "sweep", every: HOUR, run: ({ store, clock }) => sweep(store, clock()) },
];

const log = getLogger(["quarterdeck", "jobs"]);

/** Starts the jobs. @returns Stops them, after what runs is finished and counted visits and views are written. */
export function startJobs(services: Services): () => Promise<void> {
  const running = new Set<Promise<void>>();
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  let stopped = false;

  function schedule(job: Job) {
    if (stopped) return;
    const timer = setTimeout(() => {
      const run = once(job).finally(() => {
        running.delete(run);
        schedule(job);
      });
      running.add(run);
    }, job.every);
    timers.set(job.name, timer);
  }

  async function once(job: Job): Promise<void> {
    try {
      await job.run(services);
    } catch (error) {
      log.error("Cannot {job}", { job: job.name, error });
    }
  }

  for (const job of jobs) schedule(job);
  return async function stop() {
    stopped = true;
    for (const timer of timers.values()) clearTimeout(timer);
    await Promise.all(running);
    await Promise.all([services.visits.flush(), services.documentViews.flush()]);
  };
}
