// Documents as CSV: what their list shows, without the content.
import type { z } from "zod";
import { columnsOf, csvAnswer } from "../../http/csv.ts";
import { endpoint } from "../../http/endpoint.ts";
import { listing } from "../../http/lists.ts";
import {
  type Document,
  documentExportQuery,
  documents,
  type documentSummary,
} from "../../models/documents.ts";
import { summaries, SUMMARY_KEYS } from "../../services/content/documents.ts";
import { documentsAsked } from "./documents.ts";

/** Documents read at a time: some milliseconds of work. */
const PAGE = 100;

type Row = z.output<typeof documentSummary>;

const columns = {
  ...columnsOf<Row>("id", "title", "type", "size", "folder"),
  tags: ({ tags }: Row) => tags.map(({ name }) => name),
  ...columnsOf<Row>("shared", "views", "ownerId"),
  owner: ({ owner }: Row) => owner?.name,
  ...columnsOf<Row>("teamId", "createdAt", "updatedAt"),
};

const exportDocuments = endpoint({
  operationId: "exportDocuments",
  method: "get",
  path: "/documents/export",
  tag: "Documents",
  summary: "Documents as CSV",
  description:
    "All that the filters of the list match, in its order, streamed, without the content; tags are parted by " +
    "semicolons. What a spreadsheet would take for a formula has an apostrophe before it. `bom=true` is for Excel. At " +
    "most 60 exports and imports an hour.",
  access: "documents:view",
  query: documentExportQuery,
  raw: "text/csv",
  errors: ["RATE_LIMITED"],
  async handle(call) {
    const { store, query } = call;
    const { search, sort } = listing<Document>(query);
    return await csvAnswer(call, {
      name: "documents",
      columns,
      bom: query.bom,
      async read(cursor) {
        const where = await documentsAsked(call, query);
        const page = { where, search, sort, cursor, limit: PAGE };
        const found = await store.from(documents).listRows(page, SUMMARY_KEYS);
        const shown = await summaries(call.services, found);
        const { total, nextCursor } = found;
        return { records: shown.map(({ text }) => JSON.parse(text) as Row), total, nextCursor };
      },
    });
  },
});

export const documentExportRoutes = [exportDocuments];
