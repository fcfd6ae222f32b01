// What describes a document, as it is edited, and what of it has to be sent.
import type { Document, UpdateDocumentRequest } from "../../../client/mod.ts";

export interface DetailValues {
  readonly title: string;
  readonly tags: readonly string[];
  readonly type: Document["type"];
  /** Empty at the root. */
  readonly folder: string;
  /** Empty where it is of none. */
  readonly teamId: string;
}

type Described = Pick<Document, "title" | "tags" | "type" | "folder" | "teamId">;

export function detailsOf(
  { title, tags, type, folder = "", teamId = "" }: Described,
): DetailValues {
  return { title, tags: tags.map(({ name }) => name), type, folder, teamId };
}

/** The fields that differ from the stored ones; an emptied folder or team is removed by null. */
export function changesOf(values: DetailValues, before: Described): UpdateDocumentRequest {
  const stored = detailsOf(before);
  const differs = (name: keyof DetailValues) =>
    JSON.stringify(values[name]) !== JSON.stringify(stored[name]);
  return {
    ...(differs("title") ? { title: values.title } : {}),
    ...(differs("tags") ? { tags: [...values.tags] } : {}),
    ...(differs("type") ? { type: values.type } : {}),
    ...(differs("folder") ? { folder: values.folder || null } : {}),
    ...(differs("teamId") ? { teamId: values.teamId || null } : {}),
  };
}
