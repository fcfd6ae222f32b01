// Events from CSV: each row makes one, whose owner is who imports it. Nobody is invited.
import { z } from "zod";
import { MIB } from "../../core/units.ts";
import {
  importCsv,
  type ImportedRow,
  inTurns,
  type RowErrors,
  textColumns,
} from "../../http/csv_import.ts";
import { endpoint } from "../../http/endpoint.ts";
import { zoneOf } from "../../http/zone.ts";
import { type EventImport, eventImport, events, zoneQuery } from "../../models/calendar.ts";
import { csvBody, importOptions, importOutcome } from "../../models/csv.ts";
import { spanOf, textSizeOf } from "../../services/calendar/calendar.ts";
import type { Transaction } from "../../storage/port.ts";

const columns = {
  ...textColumns("title", "start", "end", "type", "location", "description", "color"),
  allDay: flagIn,
};

/** Spreadsheets write TRUE; what is neither is refused by the schema. */
function flagIn(cell: string): unknown {
  const text = cell.trim().toLowerCase();
  return text === "true" || text === "false" ? text === "true" : cell;
}

const importEvents = endpoint({
  operationId: "importEvents",
  method: "post",
  path: "/calendar/events/import",
  tag: "Calendar",
  summary: "Events from CSV",
  description:
    "The first row names the columns: `title` and `start` are needed, `end`, `allDay`, `type`, `location`, " +
    "`description` and `color` are taken, others ignored. Times without a zone are those of `tz`, by default of your own. " +
    "Each row makes an event of your own, and invites nobody. Without `dryRun=false` nothing is written: the answer " +
    "tells what would be, and what is wrong with which row. With it all rows are written in one commit, or none, within " +
    "your quotas. At most 10,000 rows.",
  access: "calendar:create",
  query: z.object({ ...importOptions, ...zoneQuery.shape }),
  csv: true,
  body: csvBody,
  bodyLimit: 8 * MIB,
  data: importOutcome,
  errors: ["RATE_LIMITED", "CONFLICT"],
  commits: "apart",
  async handle(call) {
    const { query, body: text, principal: { user } } = call;
    const zone = zoneOf(call);
    const { outcome } = await importCsv(call, { text, dryRun: query.dryRun !== false }, {
      columns,
      schema: eventImport,
      plan: (tx, rows, errors) => planEvents({ tx, ownerId: user.id, zone, errors }, rows),
    });
    return { data: outcome };
  },
});

interface Planning {
  readonly tx: Transaction;
  readonly ownerId: string;
  /** Of times without one. IANA name. */
  readonly zone: string;
  readonly errors: RowErrors;
}

async function planEvents(
  { tx, ownerId, zone, errors }: Planning,
  rows: readonly ImportedRow<EventImport>[],
) {
  let created = 0;
  for await (const { row, value } of inTurns(rows)) {
    const { start, end, allDay, ...texts } = value;
    try {
      const span = spanOf({ start, end, allDay }, undefined, zone);
      tx.insert(events, { ...texts, ...span, size: textSizeOf(texts), ownerId });
      created++;
    } catch (thrown) {
      errors.addThrown(row, "start", thrown);
    }
  }
  return { created, updated: 0 };
}

export const eventImportRoutes = [importEvents];
