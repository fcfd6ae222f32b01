// B6: 100,000 users out as CSV and 10,000 in: how long, how far memory grows, how long the event loop is held.
import { median } from "./load.ts";
import type { Server } from "./site.ts";

/** Users of an import: as many as one takes. */
const IMPORTED = 10_000;

/** One transfer. */
export interface CsvTransfer {
  readonly seconds: number;
  /** MiB by which the server's memory is larger than before. */
  readonly grown: number;
  /** Milliseconds that the event loop was held at worst. */
  readonly hold: number;
}

/** What a request takes of the server. */
async function measured(server: Server, send: () => Promise<Response>): Promise<CsvTransfer> {
  await server.longestHold();
  const memory = await server.memory();
  const began = performance.now();
  const response = await send();
  if (!response.ok) throw new Error(`Cannot measure: ${response.status} ${await response.text()}`);
  for await (const _ of response.body!);
  const seconds = (performance.now() - began) / 1000;
  return { seconds, grown: await server.memory() - memory, hold: await server.longestHold() };
}

/** All users of the store. */
export function exportUsers(server: Server): Promise<CsvTransfer> {
  const headers = { authorization: `Bearer ${server.token}` };
  return measured(server, () => fetch(`${server.origin}/api/users/export`, { headers }));
}

/** New users each time, unless it is a dry run. */
export function importUsers(server: Server, dryRun: boolean): Promise<CsvTransfer> {
  const mark = crypto.randomUUID();
  const lines = ["name,email,department"];
  for (let n = 0; n < IMPORTED; n++) {
    lines.push(`New Sailor,${mark}-${n}@example.com,Deck ${n % 9}`);
  }
  const headers = { authorization: `Bearer ${server.token}`, "content-type": "text/csv" };
  const body = lines.join("\n");
  return measured(
    server,
    () =>
      fetch(`${server.origin}/api/users/import?dryRun=${dryRun}`, {
        method: "POST",
        headers,
        body,
      }),
  );
}

/** The median time, and the worst of the rest. */
export function summaryOf(transfers: readonly CsvTransfer[]): CsvTransfer {
  return {
    seconds: median(transfers.map(({ seconds }) => seconds)),
    grown: Math.max(...transfers.map(({ grown }) => grown)),
    hold: Math.max(...transfers.map(({ hold }) => hold)),
  };
}
