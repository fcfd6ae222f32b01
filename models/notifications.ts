// Notifications: what the server tells one user.
import { z } from "zod";
import { flagFilter, listQuery } from "./list_query.ts";
import { collection, type RecordOf, timestamp } from "./collection.ts";

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
  /** Id of the message, event, share, team or task it tells of: when that is removed, so is the notification. */
  subjectId: z.string().optional(),
  /** Id of the user whom the title names. Not a reference: it goes when their data are erased. */
  aboutId: z.string().optional(),
}, {
  traits: ["userId"],
  filter: ["userId", "type", "read", "subjectId", "aboutId"],
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

export const notificationListQuery = listQuery(notifications, {
  hidden: ["userId", "subjectId", "aboutId"],
  own: { unread: flagFilter },
});

export const unreadListQuery = listQuery(notifications, {
  hidden: ["userId", "subjectId", "aboutId", "read"],
});
