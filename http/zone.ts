// The time zone that the times of day in a request are meant in.
import { UTC } from "../core/time_zone.ts";
import type { Principal } from "../services/access/access.ts";

/** The zone that the request names, else the caller's own. IANA name. */
export function zoneOf(
  { query, principal }: { readonly query: { readonly tz?: string }; readonly principal: Principal },
): string {
  return query.tz ?? principal.user.timeZone ?? UTC;
}
