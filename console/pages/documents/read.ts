// One document: read with its version, and what one may do with it.
import { type Document, explainAccess, getDocument, versioned } from "../../../client/mod.ts";
import type { Versioned } from "../../parts/conflict.tsx";
import { serves } from "../../state/place.ts";
import { useQuery } from "../../state/query.ts";
import { can } from "../../state/session.ts";

/** Under which a document is read, once for all who show it. */
export const documentKey = (id: string) => ["documents", "one", id];

export async function readDocument(id: string, signal?: AbortSignal): Promise<Versioned<Document>> {
  const answer = getDocument({ path: { id }, responseStyle: "fields", signal });
  const { data, etag } = await versioned(answer);
  return { data: data as unknown as Document, etag };
}

export interface Rights {
  /** Title, text, type and tags. */
  readonly edit: boolean;
  /** All else: folder, team, sharing, deleting. */
  readonly own: boolean;
}

/** Only owners, and who manages documents, are told of the shares; others ask whether a share lets them edit. */
export function useRights({ id, shares }: Document): Rights {
  const own = shares !== undefined;
  const asks = !own && can("documents:update") && serves("users");
  const { data } = useQuery(
    ["documents", "rights", id],
    async (signal) => {
      const query = { permission: "documents:update", resource: "documents", id } as const;
      const { data: { reasons } } = await explainAccess({ query, signal });
      return reasons.find(({ rule }) => rule === "record")?.basis.level ?? "none";
    },
    { enabled: asks, keep: false },
  );
  return {
    own: own && can("documents:update"),
    edit: can("documents:update") && (own || data === "edit" || data === "owner"),
  };
}
