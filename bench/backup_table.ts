// What bench/backups.ts has measured, as the table of docs/backups.md, and what of it is too much.
import { median } from "./load.ts";
import { LONGEST_HOLD } from "./targets.ts";

export interface Measured {
  /** Milliseconds within which 99 of 100 requests were answered. */
  readonly p99: number;
  /** Milliseconds that the event loop was held at worst. */
  readonly hold: number;
}

/** The same load without a backup, and beside one. */
export interface Round {
  readonly usual: Measured;
  readonly meanwhile: Measured;
  /** Seconds that the backup took. */
  readonly seconds: number;
}

export interface Report {
  readonly engine: string;
  /** Requests a second that were asked for. */
  readonly rate: number;
  /** MiB of the backup. */
  readonly size: number;
  readonly rounds: readonly Round[];
}

/** What the 99th percentile may be of the usual. */
export const MOST = 2;

/** Medians over the rounds; the ratio is taken in each, since the speed of a machine changes between them. */
function sumUp({ rounds }: Report) {
  const of = (figure: (round: Round) => number) => median(rounds.map(figure));
  return {
    p99: of(({ usual }) => usual.p99),
    p99Beside: of(({ meanwhile }) => meanwhile.p99),
    ratio: of(({ usual, meanwhile }) => meanwhile.p99 / usual.p99),
    hold: of(({ usual }) => usual.hold),
    holdBeside: of(({ meanwhile }) => meanwhile.hold),
    seconds: of(({ seconds }) => seconds),
  };
}

/** What is too much. A machine that holds the server for longer without a backup holds it beside one as well. */
export function shortcomings(report: Report): string[] {
  const { ratio, hold, holdBeside } = sumUp(report);
  return [
    ...(ratio > MOST ? [`${report.engine}: p99 is ${ratio.toFixed(2)} times the usual`] : []),
    ...(holdBeside > Math.max(LONGEST_HOLD, hold)
      ? [`${report.engine}: the event loop was held for ${holdBeside.toFixed(0)} ms`]
      : []),
  ];
}

const HEAD = ["Engine", "Load", "p99", "Beside a backup", "Longest hold", "Beside it", "Backup"];

export function backupTable(reports: readonly Report[]): string {
  const lines = reports.map((report) => {
    const { p99, p99Beside, ratio, hold, holdBeside, seconds } = sumUp(report);
    return [
      report.engine,
      `${report.rate} req/s`,
      `${p99.toFixed(1)} ms`,
      `${p99Beside.toFixed(1)} ms, ${ratio.toFixed(2)} times`,
      `${hold.toFixed(0)} ms`,
      `${holdBeside.toFixed(0)} ms`,
      `${Math.round(report.size)} MiB in ${seconds.toFixed(0)} s`,
    ];
  });
  return [HEAD, HEAD.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}
