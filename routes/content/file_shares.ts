// Files shared with users and teams.
import { z } from "zod";
import { assertMatch } from "../../http/conditional.ts";
import { endpoint } from "../../http/endpoint.ts";
import { personIn, teamIn } from "../../http/references.ts";
import { notFound } from "../../core/errors.ts";
import { files } from "../../models/files.ts";
import { deleted } from "../../models/requests.ts";
import { publicShare, shareRequest, shares, sharesMade } from "../../models/shares.ts";
import { fileEtag, fileFor } from "../../services/content/files.ts";
import { planShareEnds, planShares } from "../../services/access/shares.ts";
import { everyMatch } from "../../storage/every_match.ts";
import { KIB } from "../../core/units.ts";

const tag = "Files";

const share = endpoint({
  operationId: "shareFile",
  method: "post",
  path: "/files/{id}/share",
  tag,
  summary: "Share a file",
  description:
    "With a user, several users or a team; the permission is `read` unless given. Sharing again changes " +
    "permission and expiry.",
  access: "files:update",
  created: true,
  body: shareRequest,
  bodyLimit: 64 * KIB,
  data: sharesMade,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    const made = await call.transact(async (tx) => {
      const file = await fileFor(tx, call.principal, call.params.id, "owner", tx.now);
      assertMatch(call, await fileEtag(tx, call.principal, file));
      tx.update(files, file, {});
      return await planShares(tx, call.principal, { kind: "file", ...file }, call.body);
    });
    return { data: call.body.userIds ? made : made[0]!, message: "The file is shared" };
  },
});

const list = endpoint({
  operationId: "listFileShares",
  method: "get",
  path: "/files/{id}/share",
  tag,
  summary: "With whom a file is shared",
  description: "An addition to the file endpoints, for the owner.",
  access: "files:view",
  data: z.array(publicShare),
  include: { user: personIn("userId"), team: teamIn("teamId") },
  errors: ["NOT_FOUND"],
  async handle(call) {
    const { now } = call;
    const file = await fileFor(call.store, call.principal, call.params.id, "owner", now);
    return { data: [...await everyMatch(call.store, shares, { fileId: file.id })] };
  },
});

const unshare = endpoint({
  operationId: "deleteFileShare",
  method: "delete",
  path: "/files/{id}/share/{shareId}",
  tag,
  summary: "End a share of a file",
  description: "An addition to the file endpoints.",
  access: "files:update",
  data: deleted,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    const { id, shareId } = call.params;
    await call.transact(async (tx) => {
      const file = await fileFor(tx, call.principal, id, "owner", tx.now);
      assertMatch(call, await fileEtag(tx, call.principal, file));
      const share = await tx.from(shares).get(shareId);
      if (share?.fileId !== id) throw notFound("share");
      await planShareEnds(tx, [share]);
      tx.update(files, file, {});
    });
    return { data: { id: shareId }, message: "The share is ended" };
  },
});

export const fileShareRoutes = [share, list, unshare];
