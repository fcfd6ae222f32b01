// Fills the tables of the pages that show what was measured. `deno run -A bench/tables.ts`
import { writePage } from "./page.ts";
import { readResults, type Results, table } from "./report.ts";

/** The pages with tables, relative to the root. */
export const pages = ["README.md", "docs/performance.md"] as const;

/**
 * A table stands between two comments, of which the first names it in bench/results.json, and the rows where not all
 * are shown: `<!-- bench: kv compact large, only L1 L2 -->` and `<!-- /bench -->`.
 */
const PLACES =
  /(<!-- bench: (?<name>[\w ]+?)(?:, only (?<only>[\w ]+))? -->\n)[\s\S]*?(\n<!-- \/bench -->)/g;

/** The text of a page with the tables of the results in their places; what was not measured stays as it is. */
export function filled(page: string, results: Results): string {
  return page.replace(PLACES, (place, before, name, only, after) => {
    const rows = results[name]?.rows;
    if (!rows) return place;
    const shown = only === undefined
      ? rows
      : rows.filter((row) => only.split(" ").includes(row.name));
    return `${before}\n${table(shown)}\n${after}`;
  });
}

export async function fillTables(): Promise<void> {
  const results = await readResults();
  for (const page of pages) {
    const path = new URL(`../${page}`, import.meta.url);
    await writePage(path, filled(await Deno.readTextFile(path), results));
  }
}

if (import.meta.main) await fillTables();
