// Runs wrk, which makes the load, and reads what it measured.
import { CORES } from "./processes.ts";

const root = new URL("..", import.meta.url).pathname;

/** The requests of a load. */
export interface Requests {
  /** One request each: method, path, JSON body, parted by tabs. They are sent in turn. */
  readonly requests: readonly string[];
  readonly token?: string;
  /** @default 32 */
  readonly connections?: number;
}

export interface Load extends Requests {
  /** Seconds. */
  readonly duration: number;
  /** Milliseconds that each connection waits between its requests. @default 0 */
  readonly pause?: number;
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
      file,
      load.token ?? "",
      load.pause ? String(load.pause) : "",
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
  const [method = "GET", path = "/", body] = requests[0]!.split("\t");
  const response = await fetch(origin + path, {
    method,
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: body || undefined,
  });
  await response.body?.cancel();
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
  readonly origin: string;
  /** Other requests, sent at the same time but not counted in the rate. */
  readonly beside?: Requests;
}

/**
 * The rates of two loads that take turns: the speed of a shared machine changes from second to second, so only what is
 * measured side by side can be compared.
 *
 * @param duration Seconds of each load in all its turns together; a turn takes at least one.
 * @throws When a request failed: a rate with errors in it must not be counted.
 */
export async function inTurns(
  one: Side,
  other: Side,
  { turns, duration }: { readonly turns: number; readonly duration: number },
): Promise<[one: number, other: number]> {
  // wrk accepts only whole seconds.
  const seconds = Math.max(1, Math.round(duration / turns));
  const rates: [number, number] = [0, 0];
  for (let turn = 0; turn < turns; turn++) {
    // Whichever comes second in one turn comes first in the next, so that neither always runs right after the other.
    for (const side of turn % 2 === 0 ? [0, 1] : [1, 0]) {
      rates[side]! += await rateOf([one, other][side]!, seconds) / turns;
    }
  }
  return rates;
}

async function rateOf({ origin, beside, ...requests }: Side, duration: number): Promise<number> {
  const [measured] = await Promise.all([
    runLoad(origin, { ...requests, duration }),
    beside && runLoad(origin, { ...beside, duration }),
  ]);
  if (measured.errors > 0) {
    throw new Error(`Cannot count ${requests.requests[0]}: ${measured.errors} requests failed`);
  }
  return measured.rate;
}
