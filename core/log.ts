// Logs from the level that LOG_LEVEL sets: lines for people on a terminal, JSON lines elsewhere. Warnings and errors go
// to standard error, the rest to standard output.
import {
  configure,
  dispose,
  getAnsiColorFormatter,
  getConsoleSink,
  getTextFormatter,
  jsonLinesFormatter,
  type LogLevel,
  type LogRecord,
  type TextFormatter,
} from "@logtape/logtape";

/** Sets up logging for the process; the result writes what is buffered. */
export async function setUpLogs(level: LogLevel): Promise<() => Promise<void>> {
  const formatter = Deno.stdout.isTerminal() ? readableLines(!Deno.noColor) : jsonLines;
  await configure({
    sinks: { console: getConsoleSink({ formatter, nonBlocking: true }) },
    loggers: [
      { category: "quarterdeck", lowestLevel: level, sinks: ["console"] },
      { category: ["logtape", "meta"], lowestLevel: "error", sinks: ["console"] },
    ],
    reset: true,
  });
  return dispose;
}

/** One JSON object a line; the message reads as a person would write it, with its values bare. */
export const jsonLines: TextFormatter = (record) =>
  jsonLinesFormatter({ ...record, message: [messageOf(record)] });

/** One line an event, and below it the stack of its error. */
export function readableLines(colors: boolean): TextFormatter {
  const options = { value: "bare", timestamp: "time", category: "" } as const;
  const format = colors ? getAnsiColorFormatter(options) : getTextFormatter(options);
  return (record) => {
    const { error } = record.properties;
    const line = format(record);
    return error instanceof Error ? `${line.trimEnd()}\n${traceOf(error)}\n` : line;
  };
}

/** LogTape gives texts and values in turn. */
function messageOf({ message }: LogRecord): string {
  return message.map((part) => typeof part === "string" ? part : inspected(part)).join("");
}

function inspected(value: unknown): string {
  return value instanceof Error ? value.message : Deno.inspect(value);
}

/** The stack of an error and of what caused it, indented. */
function traceOf(error: Error): string {
  const own = (error.stack ?? String(error)).replaceAll(/^/gm, "    ");
  return error.cause instanceof Error ? `${own}\n  Caused by\n${traceOf(error.cause)}` : own;
}
