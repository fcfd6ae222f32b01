// What requests for CSV have in common. Imports zod only.
import { z } from "zod";
import { flagFilter } from "./list_query.ts";

/** Parameters of an export, beside those of the list. */
export const csvOptions = {
  format: z.enum(["csv"]).default("csv"),
  /** Whether it begins with a byte order mark, by which Excel knows UTF-8. */
  bom: flagFilter,
};
