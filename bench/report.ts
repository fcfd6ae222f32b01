// The benchmark's table, and its results as JSON.

export interface Row {
  readonly name: string;
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** Name and figure of what the value is divided by for the ratio. */
  readonly against?: string;
  readonly ratio?: number;
  /** The lowest ratio that is accepted. */
  readonly floor?: number;
  readonly aim?: number;
  /** The highest value that is accepted. */
  readonly ceiling?: number;
  /** The best peer's figure, in the same unit. */
  readonly peer?: number;
}

/** True when the row keeps its floor and ceiling, and is at least as high as the best peer. */
export function reached({ ratio, floor, value, ceiling, peer }: Row): boolean {
  if (floor !== undefined && !(ratio !== undefined && ratio >= floor)) return false;
  if (ceiling !== undefined && !(value <= ceiling)) return false;
  return peer === undefined || value >= peer;
}

function figure(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3);
}

/** Prints the table. @returns How many rows fall short. */
export function printTable(
  rows: readonly Row[],
  title: { engine: string; variant: string },
): number {
  const lines = rows.map((row) => [
    row.name,
    row.what,
    `${figure(row.value)} ${row.unit}`,
    row.against ?? "",
    row.ratio?.toFixed(2) ?? "",
    row.floor !== undefined ? `≥ ${row.floor}` : row.ceiling ? `≤ ${figure(row.ceiling)}` : "",
    row.peer ? `${figure(row.value / row.peer)}×` : "",
    reached(row) ? "" : "short",
  ]);
  const head = ["", "workload", "measured", "against", "ratio", "wanted", "best peer", ""];
  const table = [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`);
  const text = `\nEngine ${title.engine}, variant ${title.variant}\n\n${table.join("\n")}\n\n`;
  Deno.stdout.writeSync(new TextEncoder().encode(text));
  return rows.filter((row) => !reached(row)).length;
}

/** Writes the table into bench/results.json, in place of an older one of the same engine, variant and size. */
export async function writeResults(
  rows: readonly Row[],
  about: { engine: string; variant: string; large: boolean },
): Promise<void> {
  const path = new URL("./results.json", import.meta.url);
  const results = JSON.parse(await Deno.readTextFile(path));
  const name = `${about.engine} ${about.variant}${about.large ? " large" : ""}`;
  results[name] = { deno: Deno.version.deno, at: new Date().toISOString(), rows };
  await Deno.writeTextFile(path, JSON.stringify(results, null, 2) + "\n");
}
