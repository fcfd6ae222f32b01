// Files as CSV: what their list shows, without the bytes.
import type { z } from "zod";
import { columnsOf, csvAnswer } from "../../http/csv.ts";
import { endpoint } from "../../http/endpoint.ts";
import { listing } from "../../http/lists.ts";
import { type File, fileExportQuery, files, type publicFile } from "../../models/files.ts";
import { fileViews, visibleFiles } from "../../services/content/files.ts";

/** Files read at a time: some milliseconds of work. */
const PAGE = 100;

type Row = z.output<typeof publicFile>;

const columns = columnsOf<Row>(
  "id",
  "name",
  "path",
  "type",
  "mimeType",
  "size",
  "version",
  "sha256",
  "isFavorite",
  "folderId",
  "ownerId",
  "createdAt",
  "updatedAt",
);

const exportFiles = endpoint({
  operationId: "exportFiles",
  method: "get",
  path: "/files/export",
  tag: "Files",
  summary: "The list of files as CSV",
  description:
    "All that the filters of the list match, in its order, streamed, without the bytes. What a spreadsheet would take " +
    "for a formula has an apostrophe before it. `bom=true` is for Excel. At most 60 exports and imports an hour.",
  access: "files:view",
  query: fileExportQuery,
  raw: "text/csv",
  errors: ["RATE_LIMITED"],
  async handle(call) {
    const { store, principal, query } = call;
    const { search, sort } = listing<File>(query);
    return await csvAnswer(call, {
      name: "files",
      columns,
      bom: query.bom,
      async read(cursor) {
        const where = await visibleFiles(store, principal, call.now, query.where);
        const page = { where, search, sort, cursor, limit: PAGE };
        const { rows, total, nextCursor } = await store.from(files).list(page);
        const shown = await fileViews(call, rows);
        return { records: shown.map(({ text }) => JSON.parse(text) as Row), total, nextCursor };
      },
    });
  },
});

export const fileExportRoutes = [exportFiles];
