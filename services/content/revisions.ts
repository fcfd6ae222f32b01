// The history of documents: what each was before a change, and who made it.
import { existing } from "../../core/errors.ts";
import { JsonText } from "../../core/json.ts";
import { type Document, documents } from "../../models/documents.ts";
import {
  type DocumentRevision,
  documentRevisions,
  type RevisedField,
  revisedField,
  revisionParts,
  revisionRow,
} from "../../models/revisions.ts";
import type { Store, Transaction } from "../../storage/port.ts";
import { personsById } from "../access/persons.ts";

type Source = Pick<Store, "from">;

/** Who changes a document, and how many revisions are kept of it. */
export interface Edit {
  readonly userId: string;
  readonly kept: number;
}

/**
 * Plans that a document is changed, and that a revision keeps what it was, where that is another title, content or type.
 * The oldest go.
 */
export async function planChange(
  tx: Transaction,
  document: Document,
  patch: Partial<Document>,
  edit: Edit,
): Promise<Document> {
  const changed = revisedField.options.filter((field) =>
    patch[field] !== undefined && patch[field] !== document[field]
  );
  if (changed.length === 0 || edit.kept === 0) return tx.update(documents, document, patch);
  const revision = (document.revision ?? 0) + 1;
  planRevision(tx, document, { revision, changed, changedBy: edit.userId });
  await endOldest(tx, document.id, revision - edit.kept);
  return tx.update(documents, document, { ...patch, revision });
}

function planRevision(
  tx: Transaction,
  { id: documentId, ownerId, title, content, type, size }: Document,
  about: { revision: number; changed: RevisedField[]; changedBy: string },
): void {
  tx.insert(documentRevisions, { documentId, ownerId, title, content, type, size, ...about });
}

/** Revisions that one change ends, beside its own: more are left where fewer are to be kept than were. */
const ENDED = 2;

/** @param last The newest revision that is not kept. */
async function endOldest(tx: Transaction, documentId: string, last: number): Promise<void> {
  if (last < 1) return;
  const where = { documentId, revision: { lte: last } };
  const { rows } = await tx.from(documentRevisions).list({ where, sort: "revision", limit: ENDED });
  for (const revision of rows) tx.remove(documentRevisions, revision);
}

/** A revision of a document by its number; null when there is none. */
export async function revisionOf(
  source: Source,
  { id }: Pick<Document, "id">,
  number: string,
): Promise<DocumentRevision | null> {
  if (!/^[1-9]\d{0,8}$/.test(number)) return null;
  return await source.from(documentRevisions).findBy("revision", id, Number(number));
}

/** Plans that a document has the title, the content and the type of one of its revisions again. */
export async function planRevert(
  tx: Transaction,
  document: Document,
  number: string,
  edit: Edit,
): Promise<Document> {
  const found = existing(await revisionOf(tx, document, number), "revision");
  const { title, content, type, size } = found;
  return await planChange(tx, document, { title, content, type, size }, edit);
}

/** Revisions in a list, as JSON. */
export async function revisionViews(source: Source, rows: readonly string[]): Promise<JsonText[]> {
  const parts = rows.map(revisionParts);
  const people = await personsById(source, parts.flatMap(({ changedBy }) => changedBy ?? []));
  return parts.map(({ changedBy, fields }) => {
    const person = people.get(changedBy ?? "");
    return new JsonText(`{${fields}${person ? `,"changedBy":${JSON.stringify(person)}` : ""}}`);
  });
}

/** A revision with its content, as JSON. */
export async function revisionView(source: Source, revision: DocumentRevision): Promise<JsonText> {
  const [summary] = await revisionViews(source, [revisionRow(revision)]);
  return new JsonText(
    `${summary!.text.slice(0, -1)},"content":${JSON.stringify(revision.content)}}`,
  );
}
