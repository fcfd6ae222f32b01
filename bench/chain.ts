// What the audit log's chain costs: documents made while their entries are linked, against while they are not.
import { delay } from "../core/delay.ts";
import { SECOND } from "../core/units.ts";
import { median, runLoad } from "./load.ts";
import { loadOf, workloadNamed } from "./measure.ts";
import type { Run } from "./parts.ts";
import type { Row } from "./report.ts";
import { serve, type Server } from "./site.ts";
import { targetOf } from "./targets.ts";

/** Users, and as many documents. */
const ROWS = 1000;
/** Seconds of load before each turn: entries are linked a second after their commit, so what it leaves is linked in the turn. */
const LEAD = 2;
/** Seconds of a turn. */
const TURN = 4;
/** Turns of each kind in a round. */
const TURNS = 2;

/** B7: W5 with the chain and without, in turns. One server for both: two of the same program differ by more than the chain. */
export async function chainRows(run: Run): Promise<Row[]> {
  const preload = ["bench/chain_switch.ts"];
  await using server = await serve({ ...await run.seed(ROWS), preload });
  const load = loadOf(workloadNamed("W5"), server);
  let errors = 0;
  const turn = async () => {
    await runLoad(server.origin, { ...load, duration: LEAD });
    const measured = await runLoad(server.origin, { ...load, duration: TURN });
    errors += measured.errors;
    return measured.rate;
  };
  const turnWithout = async () => {
    await settled(server);
    const before = await newestLink(server);
    server.signal("SIGHUP");
    const rate = await turn();
    if (await newestLink(server) !== before) {
      throw new Error("The server has linked without being to");
    }
    server.signal("SIGHUP");
    // What it has to link now is not to burden the next turn.
    await settled(server);
    return rate;
  };
  await turn();
  const turns: { with: number; without: number }[] = [];
  for (let n = 0; n < TURNS * run.rounds; n++) {
    const first = n % 2 === 0 ? await turn() : NaN;
    const without = await turnWithout();
    turns.push({ with: n % 2 === 0 ? first : await turn(), without });
  }
  const without = median(turns.map((turn) => turn.without));
  return [{
    name: "B7",
    what: "POST a document, with the audit log's chain against without",
    value: median(turns.map((turn) => turn.with)),
    unit: "req/s",
    against: `without ${Math.round(without).toLocaleString("en")}`,
    ratio: median(turns.map((turn) => turn.with / turn.without)),
    errors,
    target: targetOf("B7", run.engine),
  }];
}

/** Waits until the chain has stood still for longer than a server waits between its looks at the journal. */
async function settled(server: Server): Promise<void> {
  for (let before = -1, now = await newestLink(server); now !== before;) {
    await delay(2 * SECOND);
    [before, now] = [now, await newestLink(server)];
  }
}

async function newestLink({ origin, token }: Server): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${origin}/api/audit/checkpoint`, { headers });
  if (!response.ok) throw new Error(`Cannot ask for the checkpoint: ${await response.text()}`);
  return (await response.json()).data.seq;
}
