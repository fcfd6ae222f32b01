// What every command of the project has in common: how it is asked for help, and how it speaks.
const encoder = new TextEncoder();

/** Writes a line to standard output. */
export function print(line: string): void {
  Deno.stdout.writeSync(encoder.encode(`${line}\n`));
}

/** Writes a line to standard error. */
export function printError(line: string): void {
  Deno.stderr.writeSync(encoder.encode(`${line}\n`));
}

/** Prints the usage and ends the process with 0 where it is asked for. */
export function answerHelp(usage: string): void {
  if (!Deno.args.includes("--help") && !Deno.args.includes("-h")) return;
  print(usage);
  Deno.exit(0);
}
