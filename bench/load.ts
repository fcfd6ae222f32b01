// Runs wrk, which makes the load, and reads what it measured.
import { CORES, type Process } from "./processes.ts";

const root = new URL("..", import.meta.url).pathname;

/** The requests of a load. */
export interface Requests {
  /** Templates of requests, which come in turn: method, path, JSON body, parted by tabs. See requests.lua. */
  readonly requests: readonly string[];
  /** The file of ids that the templates choose from. */
  readonly ids?: string;
  readonly token?: string;
  /** @default 32 */
  readonly connections?: number;
  /** Requests a second over all connections. @default as many as are answered */
  readonly rate?: number;
  /** Whether each request goes on where the answer before it ended; with one connection alone. @default false */
  readonly walk?: boolean;
}

export interface Load extends Requests {
  /** Whole seconds. */
  readonly duration: number;
}

export interface Measured {
  /** Requests a second. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p99: number;
  /** Answers other than 2xx and 3xx, and socket errors. */
  readonly errors: number;
}

/** Runs wrk on the core that is set aside for the load. */
export async function runLoad(origin: string, load: Load): Promise<Measured> {
  const file = await Deno.makeTempFile();
  await Deno.writeTextFile(file, load.requests.join("\n") + "\n");
  const { stdout, stderr, success } = await new Deno.Command("taskset", {
    args: [
      "-c",
      CORES.load,
      "wrk",
      "-t1",
      `-c${load.connections ?? 32}`,
      `-d${load.duration}s`,
      "--timeout",
      "10s",
      "--latency",
      "-s",
      `${root}bench/requests.lua`,
      origin,
      "--",
      `templates=${file}`,
      ...load.ids ? [`ids=${load.ids}`] : [],
      ...load.token ? [`token=${load.token}`] : [],
      ...load.rate ? [`rate=${load.rate}`] : [],
      ...load.walk ? ["walk=yes"] : [],
    ],
  }).output();
  await Deno.remove(file);
  await drain(origin, load);
  const text = new TextDecoder().decode(stdout);
  if (!success) throw new Error(`Cannot run wrk: ${new TextDecoder().decode(stderr)}${text}`);
  return parseWrk(text);
}

/** Waits until the server is done with the requests that wrk left behind: one more is answered only after them. */
async function drain(origin: string, { requests, token = "" }: Load): Promise<void> {
  const [method = "GET", path = "/", body] = anyOf(requests[0]!).split("\t");
  const response = await fetch(origin + path, {
    method,
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: body || undefined,
  });
  await response.body?.cancel();
}

/** A request of a template: the first of all that it leaves open. */
function anyOf(template: string): string {
  return template.replace(/<([^>]*)>/g, (_, choice: string) => choice.split(/\||\.\./)[0]!);
}

function parseWrk(text: string): Measured {
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1] ?? 0);
  const [, amount = "0", unit = "ms"] = /99%\s+([\d.]+)(us|ms|s)/.exec(text) ?? [];
  const p99 = Number(amount) * ({ us: 0.001, ms: 1, s: 1000 }[unit] ?? 1);
  const refused = Number(/Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1] ?? 0);
  const socket = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(text);
  const broken = (socket?.slice(1) ?? []).reduce((sum, count) => sum + Number(count), 0);
  return { rate, p99, errors: refused + broken };
}

/** One of two loads that are compared: requests to one server. */
export interface Side extends Requests {
  readonly server: Pick<Process, "origin" | "longestHold">;
  /** Other requests, sent at the same time but not counted in the rate. */
  readonly beside?: Requests;
}

/** What one side came to in a turn, or in many. */
export interface Turn {
  /** Requests a second. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p99: number;
  /** Milliseconds that the event loop was held at worst; NaN where the server does not tell. */
  readonly hold: number;
  /** Requests a second of the load beside it; NaN where there is none. */
  readonly beside: number;
  /** Requests that failed, those beside included. */
  readonly errors: number;
}

/**
 * Measures two loads that take turns: the speed of a shared machine changes from second to second, so only what is
 * measured side by side can be compared.
 *
 * @param duration Seconds of each load in all its turns together; a turn takes at least one.
 */
export async function inTurns(
  one: Side,
  other: Side,
  { turns, duration }: { readonly turns: number; readonly duration: number },
): Promise<[one: Turn, other: Turn][]> {
  // wrk accepts only whole seconds.
  const seconds = Math.max(1, Math.round(duration / turns));
  const measured: [Turn, Turn][] = [];
  for (let turn = 0; turn < turns; turn++) {
    // Whichever comes second in one turn comes first in the next, so that neither always runs right after the other.
    const before = turn % 2 === 0 ? undefined : await runTurn(other, seconds);
    const reached = await runTurn(one, seconds);
    measured.push([reached, before ?? await runTurn(other, seconds)]);
  }
  return measured;
}

async function runTurn({ server, beside, ...requests }: Side, duration: number): Promise<Turn> {
  await server.longestHold();
  const [{ rate, p99, errors }, other] = await Promise.all([
    runLoad(server.origin, { ...requests, duration }),
    beside && runLoad(server.origin, { ...beside, duration }),
  ]);
  return {
    rate,
    p99,
    hold: await server.longestHold(),
    beside: other?.rate ?? NaN,
    errors: errors + (other?.errors ?? 0),
  };
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The median; of an even number of values, the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b), middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
}
