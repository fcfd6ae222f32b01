// What each row of the benchmark must reach on each engine; `--check` holds it.

export const engines = ["kv", "sqlite", "postgres"] as const;
export type EngineName = typeof engines[number];

export interface Target {
  /** The lowest ratio to what the row is compared to. */
  readonly floor?: number;
  /** The ratio that is aimed at. */
  readonly aim?: number;
  /** The lowest value. */
  readonly least?: number;
  /** The highest value. */
  readonly most?: number;
  /** Milliseconds within which 99 of 100 requests are answered. */
  readonly p99?: number;
  /** How many times the p99 of what the row is compared to its own may be. */
  readonly p99Ratio?: number;
  /** The lowest ratio of what is asked again and again. */
  readonly again?: number;
  /** The rate of the best peer, the tuned ones included. */
  readonly peer?: number;
}

/** Milliseconds that the event loop of the server may be held, in every row that tells. */
export const LONGEST_HOLD = 50;

type Targets = Readonly<Record<EngineName, Target>>;

const all = (target: Target): Targets => ({ kv: target, sqlite: target, postgres: target });

/** One target for the engines whose lists are answered from memory, another for Postgres. */
const each = (memory: Target, postgres: Target): Targets => ({
  kv: memory,
  sqlite: memory,
  postgres,
});

/** Beside writes: against the same without. */
const beside = each(
  { floor: 0.75, aim: 0.9, p99Ratio: 1.5 },
  { floor: 0.7, aim: 0.9, p99Ratio: 1.5 },
);

const page = { floor: 0.2, aim: 0.35, p99: 15, peer: 132 };
const documentPage = { floor: 0.15, aim: 0.3, p99: 20, peer: 132 };
const filtered = { floor: 0.15, aim: 0.3, p99: 20 };

/** By the names of the rows. */
const targets = {
  "W1": each(
    { floor: 0.25, aim: 0.4, p99: 15, again: 0.3, peer: 3365 },
    { floor: 0.04, again: 0.3, peer: 3365 },
  ),
  "W2": all({ floor: 0.18, aim: 0.3, peer: 168 }),
  "W3": { ...each(page, { floor: 0.02, peer: 132 }), kv: { ...page, again: 0.8 } },
  "W4": each({ floor: 0.03, aim: 0.08, p99: 40, peer: 720 }, { floor: 0.008, peer: 720 }),
  "W5": all({ floor: 0.7, aim: 0.9, peer: 2370 }),
  "W6": all({ floor: 0.85, aim: 0.95, peer: 14.7 }),
  "W7": { ...all({ peer: 174 }), kv: { floor: 0.25, aim: 0.5, peer: 174 } },
  "W8": each(page, { floor: 0.02, peer: 132 }),
  "W9": each(documentPage, { floor: 0.02, peer: 132 }),
  "W10": each(documentPage, { floor: 0.02, peer: 132 }),
  "W11": each(filtered, { floor: 0.02 }),
  "W12": each(filtered, { floor: 0.01 }),
  "W13": each({ least: 100_000 }, { least: 50_000 }),
  "W14": each({ floor: 0.2, aim: 0.4, p99: 20 }, { floor: 0.1 }),
  "W15": beside,
  "W16": beside,
  "W17": beside,
  "W18": all({ floor: 0.5 }),
  "W19": all({ floor: 0.9, aim: 1 }),
  "B1 upload": { ...all({}), kv: { floor: 0.5 } },
  // On Postgres half of the least rate on Deno KV.
  "B1 download": { kv: { floor: 0.7 }, sqlite: {}, postgres: { floor: 0.35 } },
  "B1 memory": all({ most: 60 }),
  // Creating the tables and indexes of Postgres may take half a second.
  "B2 empty": each({ most: 0.6 }, { most: 0.8 }),
  "B2 filled": all({ most: 0.6 }),
  "B3 at rest": all({ most: 120 }),
  "B3 after all": each({ most: 350 }, { most: 300 }),
  "B4": all({ floor: 0.8, aim: 1 }),
  "B5 page": all({}),
  "B5 search": all({}),
  "B6 export": all({ most: 5 }),
  "B6 memory": all({ most: 60 }),
  "B6 dry run": all({}),
  "B6 import": all({}),
  "B7": all({ floor: 0.9 }),
  "L1": each({ floor: 0.03, aim: 0.1, p99: 60 }, { floor: 0.015 }),
  "L2": each({ most: 1000 }, { most: 350 }),
  "L3": each({ floor: 0.8, aim: 1 }, { floor: 0.7, aim: 1 }),
  "L4": each({ most: 3 }, { most: 0.2 }),
  "L5": all({}),
} satisfies Record<string, Targets>;

export type RowName = keyof typeof targets;

/** The names of workloads. */
export type WorkloadName = Extract<RowName, `W${number}`>;

export function targetOf(name: RowName, engine: EngineName): Target {
  return targets[name][engine];
}
