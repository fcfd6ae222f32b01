// What decides an access, in the words of the reader's language.
import type { Explanation } from "../../../client/mod.ts";
import { permissionName } from "../../state/permission_names.ts";
import { roleLabel } from "../../state/roles.ts";
import { texts } from "./texts.ts";

export type Reason = Explanation["reasons"][number];

/** Sentences, the main one first. What a newer server says otherwise stays as it says it. */
export function sentencesOf({ rule, ok, because, basis }: Reason): readonly string[] {
  const said = texts();
  const { status, role, by, held, key, level, needed } = basis;
  if (rule === "account" && status) return [said.statuses[status]];
  if (rule === "secondFactor" && role !== undefined) {
    return [ok ? said.factorSet(roleLabel(role)) : said.factorMissing(roleLabel(role))];
  }
  if (rule === "record") {
    if (by === undefined || by === "role" || by === "user" || by === "everyone") {
      return [said.noRecord];
    }
    if (by === "nothing") return [said.openers.nothing];
    return [
      said.openers[by],
      ...(level ? [said.has(said.levels[level])] : []),
      ...(needed ? [said.needs(said.levels[needed])] : []),
    ];
  }
  if (key !== undefined) return [said.key(key)];
  if (by === "everyone") return [said.everyone];
  if (by === "role" && role !== undefined && held !== undefined) {
    return [said.byRole(roleLabel(role), permissionName(held))];
  }
  if (by === "user" && held !== undefined) return [said.byUser(permissionName(held))];
  if (by === "nothing" && role !== undefined) return [said.missing(roleLabel(role))];
  return [because];
}
