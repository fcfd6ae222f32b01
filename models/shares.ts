// Shares: what opens a document or file to a user or a team other than its owner.
import { z } from "zod";
import { collection, type RecordOf, timestamp } from "./collection.ts";
import { eitherCase, moment, removable } from "./requests.ts";

export const sharePermission = z.enum(["read", "comment", "edit"]);

/** Exactly one of `documentId` and `fileId`, and exactly one of `userId` and `teamId`, is present. */
export const shares = collection("shares", {
  documentId: z.string().optional(),
  fileId: z.string().optional(),
  userId: z.string().optional(),
  teamId: z.string().optional(),
  permission: sharePermission,
  /** From this moment on the share no longer gives access. */
  expiresAt: timestamp.optional(),
  createdBy: z.string(),
}, {
  traits: ["documentId", "fileId", "userId", "teamId"],
  unique: {
    documentUser: ["documentId", "userId"],
    documentTeam: ["documentId", "teamId"],
    fileUser: ["fileId", "userId"],
    fileTeam: ["fileId", "teamId"],
  },
  filter: ["documentId", "fileId", "userId", "teamId", "createdBy", "permission", "expiresAt"],
  sort: ["expiresAt"],
  references: {
    documentId: "documents",
    fileId: "files",
    userId: "users",
    teamId: "teams",
    createdBy: "users",
  },
});

export type Share = RecordOf<typeof shares>;

export const publicShare = z.object({
  id: z.string(),
  documentId: z.string().optional(),
  fileId: z.string().optional(),
  userId: z.string().optional(),
  teamId: z.string().optional(),
  permission: sharePermission,
  expiresAt: timestamp.optional(),
  createdAt: timestamp,
}).meta({ id: "Share" });

const id = z.string().min(1).max(128);

export const shareRequest = z.object({
  userId: id.optional(),
  userIds: z.array(id).min(1).max(100).transform((ids) => [...new Set(ids)]).optional(),
  teamId: id.optional(),
  permission: eitherCase(sharePermission).default("read"),
  expiresAt: removable(moment),
}).refine(
  ({ userId, userIds, teamId }) =>
    [userId, userIds, teamId].filter((target) => target !== undefined).length === 1,
  { path: ["userId"], message: "give one of userId, userIds and teamId" },
);

export type ShareRequest = z.output<typeof shareRequest>;

/** Which shares are to end: one, or those with users or a team. */
export const unshareRequest = z.object({
  shareId: id.optional(),
  userId: id.optional(),
  userIds: shareRequest.shape.userIds,
  teamId: id.optional(),
}).refine(
  (body) => Object.values(body).filter((target) => target !== undefined).length === 1,
  { path: ["userId"], message: "give one of shareId, userId, userIds and teamId" },
);

/** What sharing answers with: one share, or one for each of `userIds`. */
export const sharesMade = z.union([publicShare, z.array(publicShare)]);
