// What one may do with a team. The server has the same rules, and decides.
import type { Team } from "../../../client/mod.ts";
import { can, user as self } from "../../state/session.ts";

export type TeamRole = Team["members"][number]["role"];

/** What one is to a team; who manages all teams counts as its owner. */
function standing({ members }: Team): TeamRole | null {
  if (can("teams:*")) return "owner";
  return members.find(({ userId }) => userId === self.value?.id)?.role ?? null;
}

/** Whether one may change the team and its members. */
export function mayChange(team: Team): boolean {
  const role = standing(team);
  return can("teams:update") && (role === "owner" || role === "admin");
}

/** Whether one may hand it over. */
export function mayHandOver(team: Team): boolean {
  return can("teams:update") && standing(team) === "owner";
}

export function mayDelete(team: Team): boolean {
  return can("teams:delete") && standing(team) === "owner";
}
