// Documents from CSV: each row makes one, whose owner is who imports it.
import { z } from "zod";
import { chunks } from "../../core/chunks.ts";
import { itemsIn } from "../../core/csv.ts";
import { utf8Length } from "../../core/text.ts";
import { KIB, MIB } from "../../core/units.ts";
import {
  importCsv,
  type ImportedRow,
  inTurns,
  type RowErrors,
  textColumns,
} from "../../http/csv_import.ts";
import { endpoint } from "../../http/endpoint.ts";
import { csvBody, importOptions, importOutcome } from "../../models/csv.ts";
import {
  type DocumentImport,
  documentImport,
  documents,
  documentTags,
  type Tag,
} from "../../models/documents.ts";
import type { Principal } from "../../services/access/access.ts";
import { reachableTeam } from "../../services/access/teams.ts";
import { refuseTooLarge } from "../../services/content/documents.ts";
import { planTags } from "../../services/content/tags.ts";
import { MAX_RECORD_BYTES } from "../../storage/limits.ts";
import type { Transaction } from "../../storage/port.ts";

/** Different tags of one import, at most, and how often it ties one to a document. */
const MAX_DISTINCT_TAGS = 1000;
const MAX_TIES = 20_000;
/** Bytes of a content as JSON, at most: the rest of what a record holds is for the other fields. */
const MAX_CONTENT = MAX_RECORD_BYTES - 16 * KIB;

const columns = {
  ...textColumns("title", "type", "folder", "teamId"),
  // Blanks at the beginning of a line mean something in Markdown.
  content: (text: string) => text,
  tags: itemsIn,
};

const importDocuments = endpoint({
  operationId: "importDocuments",
  method: "post",
  path: "/documents/import",
  tag: "Documents",
  summary: "Documents from CSV",
  description:
    "The first row names the columns: `title` is needed, `content`, `type`, `folder`, `tags` (parted by semicolons) and " +
    "`teamId` are taken, others ignored. Each row makes a document of your own. Without `dryRun=false` nothing is " +
    "written: the answer tells what would be, and what is wrong with which row. With it all rows are written in one " +
    "commit, or none, within your quotas. At most 10,000 rows, 1,000 different tags, and 20,000 tags in all.",
  access: "documents:create",
  query: z.object(importOptions),
  csv: true,
  body: csvBody,
  bodyLimit: 8 * MIB,
  data: importOutcome,
  errors: ["RATE_LIMITED", "CONFLICT"],
  commits: "apart",
  async handle(call) {
    const { query, body: text, principal } = call;
    const { outcome } = await importCsv(call, { text, dryRun: query.dryRun !== false }, {
      columns,
      schema: documentImport,
      plan: (tx, rows, errors) => planDocuments({ tx, principal, errors }, rows),
    }).catch(refuseTooLarge);
    return { data: outcome };
  },
});

interface Planning {
  readonly tx: Transaction;
  readonly principal: Principal;
  readonly errors: RowErrors;
}

type Row = ImportedRow<DocumentImport>;

async function planDocuments(planning: Planning, rows: readonly Row[]) {
  const { tx, principal, errors } = planning;
  const reached = await teamsFor(planning, rows);
  const tagged = await tagsFor(planning, rows);
  let created = 0;
  for await (const { row, value } of inTurns(rows)) {
    const { tags = [], folder, teamId, ...fields } = value;
    if (teamId !== undefined && !reached.has(teamId)) continue;
    if (utf8Length(JSON.stringify(fields.content)) > MAX_CONTENT) {
      errors.add(row, "content", `is over ${MAX_CONTENT} bytes as JSON`);
      continue;
    }
    const document = tx.insert(documents, {
      ...fields,
      size: utf8Length(fields.content),
      folder: folder ?? undefined,
      ownerId: principal.user.id,
      teamId,
    });
    for (const name of tags) {
      const tag = tagged.get(name);
      if (tag) tx.insert(documentTags, { documentId: document.id, tagId: tag.id });
    }
    created++;
  }
  return { created, updated: 0 };
}

/** The teams that the rows name, each looked up once; a row with one that the caller is not in is an error. */
async function teamsFor(
  { tx, principal, errors }: Planning,
  rows: readonly Row[],
): Promise<ReadonlySet<string>> {
  const reached = new Set<string>();
  const teamed = rows.filter(({ value }) => value.teamId !== undefined);
  for (const [teamId, named] of Map.groupBy(teamed, ({ value }) => value.teamId!)) {
    try {
      await reachableTeam(tx, principal, teamId);
      reached.add(teamId);
    } catch (thrown) {
      for (const { row } of named) errors.addThrown(row, "teamId", thrown);
    }
  }
  return reached;
}

/** The tags that the rows name, planned once each; none where they are too many. */
async function tagsFor(
  { tx, errors }: Planning,
  rows: readonly Row[],
): Promise<ReadonlyMap<string, Tag>> {
  const named = rows.flatMap(({ value }) => value.tags ?? []);
  const names = [...new Set(named)];
  const found = new Map<string, Tag>();
  if (names.length > MAX_DISTINCT_TAGS) {
    errors.add(1, "tags", `one import has at most ${MAX_DISTINCT_TAGS} different tags`);
  } else if (named.length > MAX_TIES) {
    errors.add(1, "tags", `one import has at most ${MAX_TIES} tags on all its documents`);
  } else {
    for (const some of chunks(names)) {
      for (const tag of await planTags(tx, some)) found.set(tag.name, tag);
    }
  }
  return found;
}

export const documentImportRoutes = [importDocuments];
