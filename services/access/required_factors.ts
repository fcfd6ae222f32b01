// Says at the start which roles that are to need a second factor there are not. Reads roles.
import type { Logger } from "@logtape/logtape";
import type { Settings } from "../../config/settings.ts";
import { roles } from "../../models/roles.ts";
import type { Store } from "../../storage/port.ts";

/** A role may be made later, so its absence stops no start; but a slip of the pen would leave all without the factor. */
export async function warnOfMissingRoles(
  store: Pick<Store, "from">,
  { mfaRequiredRoles }: Pick<Settings, "mfaRequiredRoles">,
  log: Pick<Logger, "warn">,
): Promise<void> {
  for (const role of mfaRequiredRoles) {
    if (await store.from(roles).findBy("name", role)) continue;
    log.warn("MFA_REQUIRED_ROLES: there is no role '{role}': it makes nobody use a second factor", {
      role,
    });
  }
}
