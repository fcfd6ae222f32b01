// Measures workloads in turns with what each is compared to, and sums the turns up.
import { inTurns, median, type Requests, runLoad, type Side, sum, type Turn } from "./load.ts";
import type { Process } from "./processes.ts";
import type { Row } from "./report.ts";
import type { Server } from "./site.ts";
import { type EngineName, targetOf } from "./targets.ts";
import { type Limit, limitLoad, WALKED, type Workload, workloads } from "./workloads.ts";

/** Seconds of load that are not counted: code is compiled, that of writes too, and memory filled. */
const WARM_UP = 3;
/** Seconds of a turn of logins: too few fit into one second. */
const LOGINS = 3;

/** What the turns of a comparison came to: their medians, and the longest hold of all. */
export interface Summary {
  readonly reached: Turn;
  readonly reference: Turn;
  /** Taken in each turn, since the speed of a machine changes between turns. */
  readonly ratio: number;
  readonly p99Ratio: number;
}

/** The turns of each comparison, by its name. */
export class Samples {
  readonly #turns = new Map<string, [reached: Turn, reference: Turn][]>();

  /** Measures some turns more. */
  async measure(
    name: string,
    one: Side,
    other: Side,
    time: { readonly turns: number; readonly duration: number },
  ): Promise<void> {
    const turns = this.#turns.get(name) ?? [];
    this.#turns.set(name, turns);
    turns.push(...await inTurns(one, other, time));
  }

  /** @throws When nothing of that name was measured. */
  summary(name: string): Summary {
    const turns = this.#turns.get(name);
    if (!turns) throw new Error(`Cannot sum up ${name}: it was not measured`);
    return {
      reached: together(turns.map(([reached]) => reached)),
      reference: together(turns.map(([, reference]) => reference)),
      ratio: median(turns.map(([reached, { rate }]) => reached.rate / rate)),
      p99Ratio: median(turns.map(([reached, { p99 }]) => reached.p99 / p99)),
    };
  }
}

function together(turns: readonly Turn[]): Turn {
  return {
    rate: median(turns.map(({ rate }) => rate)),
    p99: median(turns.map(({ p99 }) => p99)),
    hold: Math.max(...turns.map(({ hold }) => hold)),
    beside: median(turns.map(({ beside }) => beside)),
    errors: sum(turns.map(({ errors }) => errors)),
  };
}

/** The load of a workload on a server, with nothing beside it. */
export function loadOf(
  { requests, as, walk }: Pick<Workload, "requests" | "as" | "walk">,
  { site, token, memberToken, apiKey }: Server,
): Requests {
  return {
    requests: requests(site.rows, site.seeded),
    ids: site.seeded.ids,
    token: as === "member" ? memberToken : as === "program" ? apiKey : token,
    ...walk ? { walk, connections: 1 } : {},
  };
}

/**
 * Has servers asked what will be measured, and counts none of it. Writes beside it come as fast as they are answered, so
 * that their code is compiled as it is after minutes of them; only the first time, as they let the store grow.
 */
export async function warmUp(
  server: Server,
  coming: readonly Pick<Workload, "requests" | "as" | "walk" | "beside">[],
): Promise<void> {
  const duration = WARM_UP;
  let hasWritten = false;
  for (const workload of coming) {
    const load = loadOf(workload, server), beside = besideOf(workload, server);
    const rate = hasWritten ? beside?.rate : undefined;
    hasWritten ||= beside !== undefined;
    await Promise.all([
      runLoad(server.origin, { ...load, duration }),
      beside && runLoad(server.origin, { ...beside, rate, duration }),
    ]);
  }
}

/** What is sent at the same time as a workload. */
function besideOf(
  { beside }: Pick<Workload, "beside">,
  { site, token }: Server,
): Requests | undefined {
  return beside && { ...beside(site.rows), ids: site.seeded.ids, token };
}

export function workloadNamed(name: Workload["name"]): Workload {
  return workloads.find((workload) => workload.name === name)!;
}

/** One round: measures each workload in turns with what it is compared to. */
export async function round(
  samples: Samples,
  chosen: readonly Workload[],
  { server, limits, duration }: {
    readonly server: Server;
    readonly limits: Process;
    /** Seconds. */
    readonly duration: number;
  },
): Promise<void> {
  for (const workload of chosen) {
    const load = loadOf(workload, server);
    const beside = besideOf(workload, server);
    const turn = workload.against === "argon2id" ? LOGINS : 1;
    const time = { turns: duration, duration: turn * duration };
    const alone = { ...load, server };
    const other = workload.against === "alone"
      ? { ...alone, token: server.token }
      : limitSide(workload.against, load, limits);
    await samples.measure(workload.name, { ...alone, beside }, other, time);
    if (workload.again) {
      const again = { ...workload, ...workload.again };
      const asked = loadOf(again, server);
      const against = again.against === "W2"
        ? { ...loadOf(workloadNamed("W2"), server), server }
        : limitSide("bare", asked, limits);
      await samples.measure(`${workload.name} again`, { ...asked, server }, against, time);
    }
  }
}

function limitSide(limit: Limit, { requests, ids }: Requests, server: Process): Side {
  return { ...limitLoad(limit, requests), ids, server };
}

export function workloadRow(
  { name, what, against, again, walk, beside }: Workload,
  samples: Samples,
  { engine, rows }: { readonly engine: EngineName; readonly rows: number },
): Row {
  const { reached, reference, ratio, p99Ratio } = samples.summary(name);
  const remembered = again && samples.summary(`${name} again`);
  const writes = beside?.(rows).rate;
  const row = {
    name,
    what,
    p99: reached.p99,
    hold: reached.hold,
    errors: reached.errors + reference.errors + (remembered?.reached.errors ?? 0),
    target: targetOf(name, engine),
  };
  if (walk) {
    return { ...row, bareHold: reference.hold, value: reached.rate * WALKED, unit: "rows/s" };
  }
  return {
    ...row,
    value: reached.rate,
    unit: "req/s",
    against: `${against} ${Math.round(reference.rate).toLocaleString("en")}`,
    ratio,
    ...against === "alone" ? { p99Ratio } : { bareHold: reference.hold },
    ...writes ? { writes: reached.beside / writes } : {},
    ...remembered ? { again: { value: remembered.reached.rate, ratio: remembered.ratio } } : {},
  };
}
