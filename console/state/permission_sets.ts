// Sets of permissions, as roles and users hold them: what they open together, and a matrix to choose them from.
// The same rules as the server's (services/access/access.ts): it alone decides.

/** The matrix' column of `resource:*`. */
export const ALL = "*";

/** Columns that come first, in this order. */
const FIRST = [ALL, "view", "list", "create", "update", "delete"];

/** A permission of the catalogue. */
export interface Listed {
  readonly id?: string;
  readonly name: string;
  readonly builtIn?: boolean;
  readonly description?: string;
}

export interface MatrixRow {
  readonly resource: string;
  /** By action; an action that is absent is none of the resource. */
  readonly cells: ReadonlyMap<string, Listed>;
}

export interface Matrix {
  readonly actions: readonly string[];
  readonly rows: readonly MatrixRow[];
}

/** Whether a held permission opens a required one: `*` opens all, `users:*` what begins with `users:`. */
export function opens(held: string, required: string): boolean {
  if (held === "*" || held === required) return true;
  return held.endsWith(":*") && required.startsWith(held.slice(0, -1));
}

export function holds(held: readonly string[], required: string): boolean {
  return held.some((one) => opens(one, required));
}

/** The other permission of the set by which one is held; null where it is not, or stands in the set itself alone. */
export function heldBy(held: readonly string[], required: string): string | null {
  return held.find((one) => one !== required && opens(one, required)) ?? null;
}

/**
 * Resources as rows and actions as columns.
 *
 * @param held What is held and not in the catalogue has a cell too, so that it can be taken away.
 */
export function matrixOf(catalogue: readonly Listed[], held: readonly string[]): Matrix {
  const known = new Set(catalogue.map(({ name }) => name));
  const unlisted = held.filter((name) => !known.has(name)).map((name) => ({ name }));
  const rows = new Map<string, Map<string, Listed>>();
  const uses = new Map<string, number>();
  for (const one of [...catalogue, ...unlisted]) {
    if (one.name === "*") continue;
    const [resource = "", action = ""] = one.name.split(":");
    const cells = rows.get(resource) ?? new Map<string, Listed>();
    rows.set(resource, cells.set(action, one));
    uses.set(action, (uses.get(action) ?? 0) + 1);
  }
  const others = [...uses.keys()].filter((action) => !FIRST.includes(action))
    .sort((one, other) => uses.get(other)! - uses.get(one)! || one.localeCompare(other));
  return {
    actions: [...FIRST.filter((action) => uses.has(action)), ...others],
    rows: [...rows].map(([resource, cells]) => ({ resource, cells })),
  };
}

/** The set with a permission or without it. What is held by another, such as `*`, stays so. */
export function toggled(held: readonly string[], permission: string, on: boolean): string[] {
  const without = held.filter((one) => one !== permission);
  return on ? [...without, permission] : without;
}

/** What one set has that the other lacks, both ways. */
export function changesBetween(
  before: readonly string[],
  after: readonly string[],
): { readonly added: readonly string[]; readonly removed: readonly string[] } {
  return {
    added: after.filter((one) => !before.includes(one)),
    removed: before.filter((one) => !after.includes(one)),
  };
}

/** How many of the catalogue's single permissions a set opens, and of how many. */
export function reachOf(
  catalogue: readonly Listed[],
  held: readonly string[],
): { readonly open: number; readonly of: number } {
  const single = catalogue.filter(({ name }) => name !== "*" && !name.endsWith(":*"));
  return { open: single.filter(({ name }) => holds(held, name)).length, of: single.length };
}
