// Reading a role with its version.
import { getRole, type Role, versioned } from "../../../client/mod.ts";
import type { Versioned } from "../../parts/conflict.tsx";

export async function readRole(id: string, signal?: AbortSignal): Promise<Versioned<Role>> {
  const answer = getRole({ path: { id }, responseStyle: "fields", signal });
  const { data, etag } = await versioned(answer);
  return { data: data as unknown as Role, etag };
}
