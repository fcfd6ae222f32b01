// What requests for CSV have in common. Imports zod only.
import { z } from "zod";
import { flagFilter } from "./list_query.ts";
import { eitherCase } from "./requests.ts";

/** Parameters of an export, beside those of the list. */
export const csvOptions = {
  format: eitherCase(z.enum(["csv"])).default("csv"),
  /** Whether it begins with a byte order mark, by which Excel knows UTF-8. */
  bom: flagFilter,
};

/** What an import does; without `dryRun=false` it only tells what it would do. */
export const importOptions = { dryRun: flagFilter };

export const csvBody = z.string().max(64 * 1024 * 1024);

export const importOutcome = z.object({
  dryRun: z.boolean().meta({ description: "Whether nothing was written, whatever is told here" }),
  rows: z.int().meta({ description: "Rows that hold anything, the header aside" }),
  created: z.int(),
  updated: z.int(),
  errors: z.array(z.object({
    row: z.int().meta({ description: "As spreadsheets count: the header is row 1" }),
    field: z.string(),
    message: z.string(),
  })).meta({ description: "The first 1,000" }),
  errorCount: z.int(),
  ignored: z.array(z.string()).meta({ description: "Columns that an import does not take" }),
}).meta({ id: "ImportOutcome" });

export type ImportOutcome = z.output<typeof importOutcome>;
