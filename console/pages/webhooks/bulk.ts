// Changing or deleting many webhooks.
import { type Bulk, each } from "../../state/batches.ts";

export const deleteMany: Bulk = each((id) => ({ method: "DELETE", path: `/webhooks/${id}` }));

export function activateMany(active: boolean): Bulk {
  return each((id) => ({ method: "PUT", path: `/webhooks/${id}`, body: { active } }));
}
