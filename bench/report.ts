// The benchmark's table: printed, and kept in bench/results.json.
import { LONGEST_HOLD, type Target } from "./targets.ts";

export interface Row {
  readonly name: string;
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** Name and figure of what the value is divided by for the ratio. */
  readonly against?: string;
  readonly ratio?: number;
  /** Milliseconds within which 99 of 100 requests were answered. */
  readonly p99?: number;
  /** The p99 divided by that of what the row is compared to. */
  readonly p99Ratio?: number;
  /** Milliseconds that the event loop of the server was held at worst; null or NaN where it was not watched. */
  readonly hold?: number | null;
  /** The same of the bare server in its turns: a shared machine holds both. */
  readonly bareHold?: number;
  /** The same kind of question asked again and again. */
  readonly again?: { readonly value: number; readonly ratio: number };
  /** Requests that failed: a rate with errors in it does not count. */
  readonly errors?: number;
  /** The part of the writes that were to be made meanwhile that were made. */
  readonly writes?: number;
  readonly target: Target;
}

/** The least part of the writes beside a load: with fewer, it would be another load. */
const WRITES = 0.9;

/** What a row falls short of; empty when it reaches all. */
export function shortcomings(row: Row): string[] {
  const { value, ratio, p99, p99Ratio, hold, bareHold = 0, again, errors = 0, writes, target } =
    row;
  const below = (measured: number | undefined, least: number | undefined) =>
    least !== undefined && !(measured !== undefined && measured >= least);
  const above = (measured: number | undefined, most: number | undefined) =>
    most !== undefined && !(measured !== undefined && measured <= most);
  return [
    below(ratio, target.floor) && "ratio",
    below(value, target.least) && "value",
    above(value, target.most) && "value",
    below(value, target.peer) && "peer",
    above(p99, target.p99) && "p99",
    above(p99Ratio, target.p99Ratio) && "p99",
    below(again?.ratio, target.again) && "again",
    hold && above(hold, Math.max(LONGEST_HOLD, bareHold)) && "hold",
    errors > 0 && "errors",
    writes !== undefined && below(writes, WRITES) && "writes",
  ].filter((what) => typeof what === "string");
}

function figure(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3);
}

/** A measured figure with its limit or what it compares to, as `12.3 (≤ 15)`. */
function held(measured: number | null | undefined, beside: string | number | undefined): string {
  if (!measured) return "";
  return beside ? `${figure(measured)} (${beside})` : figure(measured);
}

function wanted({ floor, aim, least, most }: Target): string {
  if (floor !== undefined) return aim === undefined ? `≥ ${floor}` : `≥ ${floor}, aim ${aim}`;
  if (least !== undefined) return `≥ ${figure(least)}`;
  return most !== undefined ? `≤ ${figure(most)}` : "";
}

/** Where the same load alone is compared to: how many times its p99 that is, and at most is to be. */
function p99Limit({ p99Ratio = NaN, target }: Row): string | undefined {
  if (target.p99 !== undefined) return `≤ ${target.p99}`;
  if (target.p99Ratio === undefined) return undefined;
  return `${figure(p99Ratio)}×, ≤ ${target.p99Ratio}×`;
}

const HEAD = [
  "",
  "Workload, 32 connections",
  "Measured",
  "Against",
  "Ratio",
  "Wanted",
  "p99 ms",
  "Hold ms",
  "Asked again",
  "Best peer",
  "",
];

/** The rows as a table in Markdown; columns that are empty in all of them are left out. */
export function table(rows: readonly Row[]): string {
  const lines = rows.map((row) => {
    const { again, target } = row;
    return [
      row.name,
      row.what,
      `${figure(row.value)} ${row.unit}`,
      row.against ?? "",
      row.ratio?.toFixed(row.ratio < 0.1 ? 3 : 2) ?? "",
      wanted(target),
      held(row.p99, p99Limit(row)),
      held(row.hold, row.bareHold && `bare ${figure(row.bareHold)}`),
      again
        ? `${figure(again.value)}, ${again.ratio.toFixed(2)}` +
          (target.again === undefined ? "" : ` (≥ ${target.again})`)
        : "",
      target.peer ? `${figure(row.value / target.peer)}×` : "",
      shortcomings(row).map((what) => `short: ${what}`).join(", "),
    ];
  });
  const filled = HEAD.flatMap((_, i) => i < 2 || lines.some((cells) => cells[i]) ? [i] : []);
  return [HEAD, HEAD.map(() => "---"), ...lines]
    .map((cells) => `| ${filled.map((i) => cells[i]).join(" | ")} |`).join("\n");
}

/** Prints the table. @returns How many rows fall short. */
export function printTable(
  rows: readonly Row[],
  title: { readonly engine: string; readonly variant: string },
): number {
  const text = `\nEngine ${title.engine}, variant ${title.variant}\n\n${table(rows)}\n\n`;
  Deno.stdout.writeSync(new TextEncoder().encode(text));
  return rows.filter((row) => shortcomings(row).length > 0).length;
}

/** The tables of bench/results.json, by engine, variant and size: `kv compact`, `kv compact large`. */
export type Results = Record<string, { deno: string; at: string; rows: readonly Row[] }>;

const RESULTS = new URL("./results.json", import.meta.url);

export async function readResults(): Promise<Results> {
  return JSON.parse(await Deno.readTextFile(RESULTS));
}

/** Writes the table into bench/results.json, in place of an older one of the same engine, variant and size. */
export async function writeResults(
  rows: readonly Row[],
  about: { readonly engine: string; readonly variant: string; readonly large: boolean },
): Promise<void> {
  const results = await readResults();
  const name = `${about.engine} ${about.variant}${about.large ? " large" : ""}`;
  results[name] = { deno: Deno.version.deno, at: new Date().toISOString(), rows };
  await Deno.writeTextFile(RESULTS, JSON.stringify(results, null, 2) + "\n");
}
