// Saves the text of a document, beside what others may do to it at the same time.
import { ConflictError, type Document, updateDocument, versioned } from "../../../client/mod.ts";
import type { Versioned } from "../../parts/conflict.tsx";
import { readDocument } from "./read.ts";
import type { Base } from "./taking.ts";

/**
 * Saves the text over the version that it began with, or over a newer one whose text is the same: then somebody has changed
 * the title, the tags or the shares.
 *
 * @throws {ConflictError} where the text is another
 */
export async function store(
  id: string,
  content: string,
  { etag, base }: { readonly etag: string; readonly base: Base },
): Promise<Versioned<Document>> {
  try {
    return await put(id, content, etag);
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    const now = await readDocument(id);
    if (now.data.content === content) return now;
    if (now.data.content !== base.content) throw error;
    return await put(id, content, now.etag);
  }
}

async function put(id: string, content: string, etag: string): Promise<Versioned<Document>> {
  const answer = await versioned(updateDocument({
    path: { id },
    body: { content },
    headers: { "If-Match": etag },
    responseStyle: "fields",
  }));
  return { data: answer.data as unknown as Document, etag: answer.etag };
}
