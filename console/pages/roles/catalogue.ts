// The catalogue of permissions.
import { every, listPermissions, type Permission } from "../../../client/mod.ts";
import { serves } from "../../state/place.ts";
import { type QueryResult, useQuery } from "../../state/query.ts";
import { can } from "../../state/session.ts";

/** All of it; empty where one may not see it. Resources stand in the order in which they came. */
export function useCatalogue(): QueryResult<readonly Permission[]> {
  return useQuery(["permissions", "all"], async (signal) => {
    if (!serves("permissions") || !can("permissions:view")) return [];
    const all: Permission[] = [];
    const pages = every((cursor) =>
      listPermissions({ query: { limit: 100, sort: "createdAt,id", ...cursor }, signal })
    );
    for await (const one of pages) all.push(one);
    return all;
  });
}
