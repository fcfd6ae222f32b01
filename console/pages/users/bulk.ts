// Changing or deleting many users.
import { deleteUsers } from "../../../client/mod.ts";
import { type Bulk, each, together } from "../../state/batches.ts";

export const deleteMany: Bulk = together("deleted", (ids) => deleteUsers({ body: { ids } }));

export function changeMany(change: { readonly role: string } | { readonly status: string }): Bulk {
  return each((id) => ({ method: "PUT", path: `/users/${id}`, body: change }));
}
