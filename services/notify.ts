// How the server tells a user something: the notification is part of the commit it tells of.
import { type Notification, notifications } from "../models/notifications.ts";
import type { Transaction } from "../store.ts";
import { everyMatch } from "./cascades.ts";

/** What a user is told. */
export interface Notice extends
  Pick<
    Notification,
    "userId" | "type" | "title" | "content" | "link" | "subjectId"
  > {}

/** Plans a notification. Plan at most one per user and cause; whoever acts is not told of it. */
export function notify(tx: Transaction, notice: Notice): Notification {
  return tx.insert(notifications, { ...notice, read: false });
}

/**
 * Plans that what was told of a message or event is taken back.
 *
 * @param userId From this user alone. @default everyone
 */
export async function withdraw(
  tx: Transaction,
  subjectId: string,
  userId?: string,
): Promise<void> {
  for (const told of await everyMatch(tx, notifications, { subjectId, userId })) {
    tx.remove(notifications, told);
  }
}
