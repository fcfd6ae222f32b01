// Every route on a line of its own, from the declarations: `deno task routes`.
import { modulesOf } from "../app.ts";
import { variants } from "../config/variants.ts";
import { answerHelp, print, tableOf } from "../core/command_line.ts";
import { type Access, type Endpoint, fullPath } from "../http/endpoint.ts";

const USAGE = `Usage: deno task routes [TEXT …]

One line a route: method, path, who may call it, module, variants. With texts, only the lines that hold all of them.`;

export interface RouteLine {
  readonly method: string;
  readonly path: string;
  /** `public`, `optional`, `authenticated`, a permission, or several joined by `|` of which any one suffices. */
  readonly access: string;
  readonly module: string;
  readonly variants: string;
}

/** The routes of all variants in the order of their paths, each once for each way that it may be called. */
export function routeLines(): RouteLine[] {
  const lines = new Map<string, RouteLine>();
  for (const variant of new Set(Object.values(variants))) {
    for (const [module, endpoints] of modulesOf(variant)) {
      for (const endpoint of endpoints) add(lines, module, endpoint, variant.name);
    }
  }
  return [...lines.values()].sort((a, b) => (a.path + a.method).localeCompare(b.path + b.method));
}

function add(
  lines: Map<string, RouteLine>,
  module: string,
  endpoint: Endpoint,
  variant: string,
): void {
  const method = endpoint.method === "put" ? "PUT, PATCH" : endpoint.method.toUpperCase();
  const path = fullPath(endpoint, "/api");
  const access = accessText(endpoint.access);
  const key = `${method} ${path} ${access}`;
  const known = lines.get(key);
  const names = known ? `${known.variants} ${variant}` : variant;
  lines.set(key, { method, path, access, module, variants: names });
}

function accessText(access: Access): string {
  return typeof access === "string" ? access : access.join(" | ");
}

function table(lines: readonly RouteLine[]): string[] {
  const rows = lines.map(({ method, path, access, module, variants }) => [
    method,
    path,
    access,
    module,
    variants,
  ]);
  return tableOf(rows);
}

if (import.meta.main) {
  answerHelp(USAGE);
  const wanted = Deno.args.map((text) => text.toLowerCase());
  for (const line of table(routeLines())) {
    if (wanted.every((text) => line.toLowerCase().includes(text))) print(line);
  }
}
