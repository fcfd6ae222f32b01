// The mark of a file as a favourite.
import { assertMatch } from "../../http/conditional.ts";
import { endpoint } from "../../http/endpoint.ts";
import { fileMark, files, publicFile } from "../../models/files.ts";
import { fileEtag, fileFor, shownFile } from "../../services/content/files.ts";

const mark = endpoint({
  operationId: "markFile",
  method: "post",
  path: "/files/{id}/favorite",
  tag: "Files",
  summary: "Mark a file as a favourite, or take the mark away",
  description: "`isFavorite` says which; without it, what is marked is unmarked and the reverse.",
  access: "files:update",
  body: fileMark,
  data: publicFile,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    const asked = call.body.isFavorite ?? call.body.favorite;
    const file = await call.transact(async (tx) => {
      const file = await fileFor(tx, call.principal, call.params.id, "edit", tx.now);
      assertMatch(call, await fileEtag(tx, call.principal, file));
      return tx.update(files, file, { isFavorite: asked ?? !file.isFavorite });
    });
    const message = file.isFavorite ? "The file is marked" : "The mark is taken away";
    return { ...await shownFile(call, file), message };
  },
});

export const fileMarkRoutes = [mark];
