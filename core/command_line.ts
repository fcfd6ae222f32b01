// What every command of the project has in common: how it is asked for help, and how it speaks.
const encoder = new TextEncoder();

/** Writes a line to standard output. */
export function print(line: string): void {
  write(Deno.stdout, line);
}

/** Writes a line to standard error. */
export function printError(line: string): void {
  write(Deno.stderr, line);
}

/** Where nobody reads any more, as behind `| head`, what is written is lost, and the work goes on. */
function write(out: typeof Deno.stdout, line: string): void {
  try {
    out.writeSync(encoder.encode(`${line}\n`));
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}

/** Prints the usage and ends the process with 0 where it is asked for. */
export function answerHelp(usage: string): void {
  if (!Deno.args.includes("--help") && !Deno.args.includes("-h")) return;
  print(usage);
  Deno.exit(0);
}

/** Rows as lines whose columns stand below each other. */
export function tableOf(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [n, cell] of row.entries()) widths[n] = Math.max(widths[n] ?? 0, cell.length);
  }
  return rows.map((row) =>
    row.map((cell, column) => cell.padEnd(widths[column]!)).join("  ").trimEnd()
  );
}
