// What the audit log's chain costs: documents made by a server that links their entries, against one that does not.
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
const TURN = 6;

/** B7: W5 with the chain and without, in turns. */
export async function chainRows(run: Run): Promise<Row[]> {
  await using chained = await serve(await run.seed(ROWS));
  const preload = ["bench/unchained.ts"];
  await using unchained = await serve({ ...await run.seed(ROWS), preload });
  const rounds: { with: number; without: number }[] = [];
  let errors = 0;
  const turn = async (server: Server) => {
    const load = loadOf(workloadNamed("W5"), server);
    await runLoad(server.origin, { ...load, duration: LEAD });
    const measured = await runLoad(server.origin, { ...load, duration: TURN });
    errors += measured.errors;
    // What it has left to link is not to burden the other.
    await settled(chained);
    return measured.rate;
  };
  for (let n = 0; n < run.rounds; n++) {
    const first = n % 2 === 0 ? await turn(chained) : NaN;
    const without = await turn(unchained);
    rounds.push({ with: n % 2 === 0 ? first : await turn(chained), without });
  }
  if (await newestLink(unchained) !== 0) throw new Error("The server without the chain has linked");
  const without = median(rounds.map((round) => round.without));
  return [{
    name: "B7",
    what: "POST a document, with the audit log's chain against without",
    value: median(rounds.map((round) => round.with)),
    unit: "req/s",
    against: `without ${Math.round(without).toLocaleString("en")}`,
    ratio: median(rounds.map((round) => round.with / round.without)),
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
