// Work that goes on beside requests: each job runs on its own interval, never twice at once.
import { getLogger } from "@logtape/logtape";
import { fireDueReminders } from "./calendar/reminders.ts";
import { tryEach } from "../core/try_each.ts";
import { finishDeletions } from "./content/deletions.ts";
import { finishAbandonedTrash } from "./content/trash.ts";
import type { Services } from "./services.ts";
import { removeExpiredSnippets } from "./snippets/snippets.ts";
import { sweep } from "./sweep.ts";
import { HOUR, MINUTE, SECOND } from "../core/units.ts";

export interface Job {
  readonly name: string;
  /** Milliseconds between the end of one run and the start of the next. */
  readonly every: number;
  /** Milliseconds between the start of the server and the first run. @default every */
  readonly first?: number;
  /** Whether there is anything for it to do. @default always */
  isNeeded?(services: Services): boolean;
  /** May tell after how many milliseconds it is to run again, in place of `every`. */
  run(services: Services): Promise<number | void>;
}

/** Of what runs seldom: a server that is started again more often, as may be on Deno Deploy, does it too. */
const SOON = 5 * MINUTE;

const everyJob: readonly Job[] = [
  { name: "count visits", every: 5 * SECOND, run: ({ visits }) => visits.flush() },
  {
    name: "count document views",
    every: 5 * SECOND,
    run: ({ documentViews }) => documentViews.flush(),
  },
  { name: "note uses of API keys", every: 5 * SECOND, run: ({ keyUses }) => keyUses.flush() },
  {
    name: "exchange counts of rate limits",
    every: SECOND / 10,
    isNeeded: ({ limiter }) => limiter.shared,
    run: ({ limiter }) => limiter.exchange(),
  },
  { name: "fire reminders", every: 5 * SECOND, run: fireDueReminders },
  {
    name: "send webhooks",
    every: SECOND,
    isNeeded: ({ settings }) => settings.variant.modules.includes("webhooks"),
    run: ({ webhooks }) => webhooks.look(),
  },
  {
    name: "finish deletions",
    every: 5 * SECOND,
    run: ({ store, clock }) => finishDeletions(store, clock()),
  },
  {
    name: "finish what goes into the trash or out of it",
    every: 5 * SECOND,
    run: ({ store, clock }) => finishAbandonedTrash(store, clock()),
  },
  {
    name: "remove expired snippets",
    every: HOUR,
    first: SOON,
    run: ({ store, settings, clock }) =>
      removeExpiredSnippets(store, settings.snippets.days, clock()),
  },
  {
    name: "look for outages that are over",
    every: 5 * SECOND,
    run: ({ outages }) => Promise.resolve(outages.look()),
  },
  {
    name: "make backups",
    every: 10 * SECOND,
    isNeeded: ({ settings: { backups } }) => backups.every > 0 || backups.bucket !== null,
    run: async ({ backups }) => void await backups.look(),
  },
  { name: "add to the audit log's chain", every: SECOND, run: ({ audit }) => audit.follow() },
  {
    name: "sweep",
    every: HOUR,
    first: SOON,
    run: (services) => sweep(services, services.clock()),
  },
];

const log = getLogger(["quarterdeck", "jobs"]);

/**
 * Starts the jobs.
 *
 * @param jobs The jobs to run. @default all of them
 * @returns A function that stops them: it waits for runs in progress, ends deliveries that are on their way and a backup
 * that is being made, and writes the visits, views and uses of keys counted so far.
 */
export function startJobs(services: Services, jobs = everyJob): () => Promise<void> {
  const running = new Set<Promise<void>>();
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  let stopped = false;

  function schedule(job: Job, after = job.every) {
    if (stopped) return;
    const timer = setTimeout(() => {
      const run = once(job).then((again) => {
        running.delete(run);
        schedule(job, again);
      });
      running.add(run);
    }, after);
    timers.set(job.name, timer);
  }

  /** @returns After how many milliseconds it is to run again. */
  async function once(job: Job): Promise<number> {
    try {
      return await services.jobs.run(job.name, () => job.run(services)) ?? job.every;
    } catch (error) {
      if (!services.outages.counts(error)) log.error("Cannot {job}", { job: job.name, error });
      return job.every;
    }
  }

  function writeCounts(): Promise<void> {
    const { visits, documentViews, keyUses } = services;
    return tryEach([() => visits.flush(), () => documentViews.flush(), () => keyUses.flush()]);
  }

  for (const job of jobs) {
    if (!(job.isNeeded?.(services) ?? true)) continue;
    services.jobs.add(job);
    schedule(job, job.first);
  }
  return async function stop() {
    stopped = true;
    for (const timer of timers.values()) clearTimeout(timer);
    services.backups.close();
    services.audit.hurry();
    // A job that hangs does not keep the counts from being written, and what it had taken of them is written after it.
    try {
      await Promise.all([...running, writeCounts(), services.webhooks.close()]);
      await writeCounts();
    } finally {
      // After the last run, whose failure counts too.
      services.outages.close();
    }
  };
}
