// Files found by their properties.
import { z } from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { type File, files, fileSearch, inFolder, publicFile } from "../../models/files.ts";
import { fileViews, visibleFiles } from "../../services/content/files.ts";
import { listAnswer, listing } from "../../http/lists.ts";

const tag = "Files";

const search = endpoint({
  operationId: "searchFiles",
  method: "post",
  path: "/files/search",
  tag,
  summary: "Search files",
  description: "By name (`query`, or `keyword` or `search`), with conditions that must all hold.",
  access: "files:view",
  body: fileSearch,
  list: true,
  data: z.array(publicFile),
  commits: "never",
  async handle(call) {
    const { query, keyword, search, minSize, maxSize, from, to, ...body } = call.body;
    const { type, mimeType, folderId, isFavorite } = body;
    const filters = {
      type,
      mimeType,
      folderId: inFolder(folderId),
      isFavorite,
      size: between(minSize, maxSize),
      createdAt: between(from, to),
    };
    const { now } = call;
    const paging = listing<File>({ ...body, search: query || keyword || search });
    const page = await call.store.from(files).list({
      ...paging,
      where: await visibleFiles(call.store, call.principal, now, filters),
    });
    return listAnswer(paging, page, await fileViews(call, page.rows));
  },
});

/** A condition with both ends included; undefined when neither end is given. */
function between<T extends string | number>(gte: T | undefined, lte: T | undefined) {
  return gte === undefined && lte === undefined ? undefined : { gte, lte };
}

export const fileSearchRoutes = [search];
