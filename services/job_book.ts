// What became of the jobs of this process: for people who look how the server fares.

/** What is known of one job. */
export interface JobReport {
  readonly name: string;
  /** Milliseconds between the end of one run and the start of the next, where the job asks for no others. */
  readonly every: number;
  readonly running: boolean;
  readonly runs: number;
  readonly failures: number;
  /** Of the last run that has ended; ISO 8601. */
  readonly lastStartedAt: string | null;
  /** Milliseconds. */
  readonly lastDuration: number | null;
  readonly lastFailure: { readonly at: string; readonly reason: string } | null;
}

type Entry = { -readonly [F in keyof JobReport]: JobReport[F] };

/** Characters of a reason. */
const LONGEST = 300;

export class JobBook {
  readonly #jobs = new Map<string, Entry>();

  constructor(readonly clock: () => Date) {}

  /** In the order of the first run. */
  get reports(): readonly JobReport[] {
    return [...this.#jobs.values()].map((entry) => ({ ...entry }));
  }

  /** A job that will run. */
  add({ name, every }: Pick<JobReport, "name" | "every">): void {
    if (this.#jobs.has(name)) return;
    this.#jobs.set(name, {
      name,
      every,
      running: false,
      runs: 0,
      failures: 0,
      lastStartedAt: null,
      lastDuration: null,
      lastFailure: null,
    });
  }

  /** Runs a job that was added. @throws What the job throws. */
  async run<R>(name: string, job: () => Promise<R>): Promise<R> {
    const entry = this.#jobs.get(name)!;
    const startedAt = this.clock().toISOString();
    const began = performance.now();
    entry.running = true;
    try {
      return await job();
    } catch (error) {
      entry.failures++;
      const reason = error instanceof Error ? error.message : String(error);
      entry.lastFailure = { at: startedAt, reason: reason.slice(0, LONGEST) };
      throw error;
    } finally {
      entry.running = false;
      entry.runs++;
      entry.lastStartedAt = startedAt;
      entry.lastDuration = Math.round(performance.now() - began);
    }
  }
}
