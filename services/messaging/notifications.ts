// How the server tells a user something: the notification is part of the commit it tells of.
import { type Notification, notifications } from "../../models/notifications.ts";
import type { Store, Transaction } from "../../storage/port.ts";
import { everyMatch } from "../../storage/every_match.ts";

/** What a user is told. */
export interface Notice extends
  Pick<
    Notification,
    "userId" | "type" | "title" | "content" | "link" | "subjectId" | "aboutId"
  > {}

/** Plans a notification. Plan at most one per user and cause; whoever acts is not told of it. */
export function notify(tx: Transaction, notice: Notice): Notification {
  return tx.insert(notifications, { ...notice, read: false });
}

/**
 * Plans that what was told of a message, event, share, team or task is taken back.
 *
 * @param subjectId The id of what was told of, or several.
 * @param userId From this user alone. @default everyone
 */
export async function withdraw(
  tx: Transaction,
  subjectId: string | readonly string[],
  userId?: string,
): Promise<void> {
  for (const told of await everyMatch(tx, notifications, { subjectId, userId })) {
    tx.remove(notifications, told);
  }
}

/** Notifications that a user keeps: the newest. */
export const MAX_NOTIFICATIONS = 1000;
/** Notifications removed in one commit. */
const BATCH = 50;

/** Removes the oldest notifications of users who have more than they keep. */
export async function sweepNotifications(store: Store): Promise<void> {
  for (
    const { key: userId, count } of await store.from(notifications).aggregate({ by: "userId" })
  ) {
    for (let left = count - MAX_NOTIFICATIONS; left > 0; left -= BATCH) {
      const limit = Math.min(left, BATCH);
      const oldest = { where: { userId }, sort: "createdAt", limit };
      const { rows } = await store.from(notifications).list(oldest);
      await store.transact({ userId: null }, async (tx) => {
        const found = await tx.from(notifications).getMany(rows.map(({ id }) => id));
        for (const one of found) if (one) tx.remove(notifications, one);
      });
    }
  }
}
