// Notifications: what the server tells one user.
import { z } from "zod";
import { collection, type RecordOf, timestamp } from "./collection.ts";
import { enumFilter, flagFilter, listQuery } from "./requests.ts";

export const notificationType = z.enum(["system", "user", "message", "task", "alert"]);

export const notifications = collection("notifications", {
  userId: z.string(),
  type: notificationType,
  title: z.string(),
  content: z.string(),
  /** A local path of the front end. */
  link: z.string().optional(),
  read: z.boolean(),
  readAt: timestamp.optional(),
  /** The message or event it tells of: when that goes, so does the notification. */
  subjectId: z.string().optional(),
}, {
  filter: ["userId", "type", "read", "subjectId"],
  search: ["title", "content"],
  references: { userId: "users" },
});

export type Notification = RecordOf<typeof notifications>;

export const publicNotification = z.object({
  id: z.string(),
  type: notificationType,
  title: z.string(),
  content: z.string(),
  link: z.string().optional(),
  read: z.boolean(),
  readAt: timestamp.optional(),
  createdAt: timestamp,
}).meta({ id: "Notification" });

export const notificationListQuery = listQuery({
  type: enumFilter(notificationType),
  read: flagFilter,
  unread: flagFilter,
});
