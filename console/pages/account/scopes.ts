// What an API key may be given: of each resource the usual actions, and others that the server knows of.

/** Those that have a column; `*` is all of a resource. */
export const ACTIONS = ["*", "view", "create", "update", "delete"] as const;

/** Resources that every server has, for those who may not see the catalogue. */
const RESOURCES = [
  "users",
  "documents",
  "files",
  "messages",
  "notifications",
  "snippets",
  "calendar",
  "dashboard",
];

export interface ScopeCell {
  readonly scope: string;
  /** Whether one holds it, or the key has it. */
  readonly offered: boolean;
  /** By `*` of the resource. */
  readonly covered: boolean;
}

export interface ScopeRow {
  readonly resource: string;
  /** One for each of `ACTIONS`. */
  readonly cells: readonly ScopeCell[];
  /** Scopes of other actions. */
  readonly others: readonly string[];
}

function holds(held: readonly string[], scope: string): boolean {
  const resource = scope.slice(0, scope.indexOf(":"));
  return held.some((one) => one === scope || one === "*" || one === `${resource}:*`);
}

/**
 * @param catalogue Names of permissions; empty where it may not be seen.
 * @param held What the caller may do: nobody gives a key more.
 * @param given Scopes of the key.
 */
export function rowsOf(
  catalogue: readonly string[],
  held: readonly string[],
  given: readonly string[],
): ScopeRow[] {
  const usual = catalogue.length > 0
    ? []
    : RESOURCES.flatMap((resource) => ACTIONS.map((action) => `${resource}:${action}`));
  const known = new Set(
    [...catalogue, ...usual, ...held, ...given].filter((scope) => scope.includes(":")),
  );
  const offered = [...known].filter((scope) => holds(held, scope) || given.includes(scope));
  const resources = [...new Set(offered.map((scope) => scope.split(":")[0]!))];
  return resources.map((resource) => {
    const own = offered.filter((scope) => scope.startsWith(`${resource}:`));
    const whole = given.includes(`${resource}:*`);
    const cells = ACTIONS.map((action) => {
      const scope = `${resource}:${action}`;
      return { scope, offered: own.includes(scope), covered: whole && action !== "*" };
    });
    const columns = new Set(cells.map(({ scope }) => scope));
    return { resource, cells, others: own.filter((scope) => !columns.has(scope)) };
  });
}

/** With a scope, or without it; what it makes needless goes. */
export function toggled(given: readonly string[], scope: string, on: boolean): string[] {
  const rest = given.filter((one) => one !== scope);
  if (!on) return rest;
  if (scope === "*") return ["*"];
  const [resource, action] = scope.split(":");
  const kept = action === "*" ? rest.filter((one) => !one.startsWith(`${resource}:`)) : rest;
  return [...kept, scope];
}
