// Logs: JSON lines on standard output, from the level that LOG_LEVEL sets.
import {
  configure,
  dispose,
  getConsoleSink,
  jsonLinesFormatter,
  type LogLevel,
} from "@logtape/logtape";

/** Sets up logging for the process; the result writes what is buffered. */
export async function setUpLogs(level: LogLevel): Promise<() => Promise<void>> {
  await configure({
    sinks: { console: getConsoleSink({ formatter: jsonLinesFormatter, nonBlocking: true }) },
    loggers: [
      { category: "quarterdeck", lowestLevel: level, sinks: ["console"] },
      { category: ["logtape", "meta"], lowestLevel: "error", sinks: ["console"] },
    ],
    reset: true,
  });
  return dispose;
}
