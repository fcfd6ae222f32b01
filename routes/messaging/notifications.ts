// Notifications: each user's own.
import { z } from "zod";
import { assertMatch } from "../../http/conditional.ts";
import { type Call, endpoint } from "../../http/endpoint.ts";
import { notFound } from "../../core/errors.ts";
import { rememberedView } from "../../core/json.ts";
import {
  type Notification,
  notificationListQuery,
  notifications,
  publicNotification,
} from "../../models/notifications.ts";
import { deleted } from "../../models/requests.ts";
import type { Principal } from "../../services/access/access.ts";
import { listAnswer, listing } from "../../http/lists.ts";
import type { Store } from "../../storage/port.ts";
import { Piece } from "../../storage/pieces.ts";

const tag = "Notifications";

const view = rememberedView(
  publicNotification,
  (notification: Notification, _: null) => notification,
);

async function own(
  source: Pick<Store, "from">,
  call: { params: { id: string }; principal: Principal },
): Promise<Notification> {
  const notification = await source.from(notifications).get(call.params.id);
  if (notification?.userId !== call.principal.user.id) throw notFound("notification");
  return notification;
}

async function shown(
  call: { store: Call["store"]; params: { id: string }; principal: Principal },
) {
  const notification = await own(call.store, call);
  return { data: view(notification, null), etag: notification.rev };
}

const list = endpoint({
  operationId: "listNotifications",
  method: "get",
  path: "/notifications",
  tag,
  summary: "List one's notifications",
  description: "Newest first. `unreadCount` counts all that are unread, whatever the filters.",
  access: "notifications:view",
  query: notificationListQuery,
  list: true,
  data: z.array(publicNotification),
  extra: { unreadCount: z.number().int() },
  async handle(call) {
    const { unread, where: asked } = call.query;
    const userId = call.principal.user.id;
    const paging = listing<Notification>(call.query);
    const read = unread === undefined || asked.read ? asked.read : !unread;
    const where = { ...asked, userId, read };
    const page = await call.store.from(notifications).list({ ...paging, where });
    const unreadCount = await call.store.from(notifications).count({ userId, read: false });
    const rows = page.rows.map((notification) => view(notification, null));
    return { ...listAnswer(paging, page, rows), extra: { unreadCount } };
  },
});

const unreadCount = endpoint({
  operationId: "countUnreadNotifications",
  method: "get",
  path: "/notifications/unread-count",
  tag,
  summary: "How many of one's notifications are unread",
  access: "notifications:view",
  data: z.object({ count: z.number().int() }),
  async handle(call) {
    const where = { userId: call.principal.user.id, read: false };
    return { data: { count: await call.store.from(notifications).count(where) } };
  },
});

const markRead = endpoint({
  operationId: "markNotificationRead",
  method: "put",
  path: "/notifications/{id}/read",
  tag,
  summary: "Mark a notification as read",
  description: "Marking it again changes nothing.",
  access: "notifications:update",
  data: publicNotification,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    await call.transact(async (tx) => {
      const notification = await own(tx, call);
      assertMatch(call, notification.rev);
      if (!notification.read) {
        tx.update(notifications, notification, { read: true, readAt: tx.now });
      }
    });
    return await shown(call);
  },
});

const markAllRead = endpoint({
  operationId: "markAllNotificationsRead",
  method: "put",
  path: "/notifications/read-all",
  tag,
  summary: "Mark all of one's notifications as read",
  description: "However many; `count` is how many were unread.",
  access: "notifications:update",
  data: z.object({ count: z.number().int() }),
  commits: "apart",
  async handle(call) {
    const userId = call.principal.user.id;
    // Notifications that arrive while this runs stay unread.
    const createdAt = { lte: call.now };
    let count = 0;
    for (let left = true; left;) {
      count += await call.transact(async (tx) => {
        const piece = new Piece();
        const unread = await piece.take(tx, notifications, { userId, read: false, createdAt });
        for (const notification of unread) {
          tx.update(notifications, notification, { read: true, readAt: tx.now });
        }
        left = !piece.whole;
        return unread.length;
      });
    }
    return { data: { count }, message: "Your notifications are marked as read" };
  },
});

const remove = endpoint({
  operationId: "deleteNotification",
  method: "delete",
  path: "/notifications/{id}",
  tag,
  summary: "Delete a notification",
  access: "notifications:delete",
  data: deleted,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    await call.transact(async (tx) => {
      const notification = await own(tx, call);
      assertMatch(call, notification.rev);
      tx.remove(notifications, notification);
    });
    return { data: { id: call.params.id }, message: "The notification is deleted" };
  },
});

export const notificationRoutes = [list, unreadCount, markRead, markAllRead, remove];

const details = endpoint({
  operationId: "getNotification",
  method: "get",
  path: "/notifications/{id}",
  tag,
  summary: "Notification details",
  description: "Looking at a notification does not mark it as read.",
  access: "notifications:view",
  data: publicNotification,
  errors: ["NOT_FOUND"],
  handle: (call) => shown(call),
});

export const notificationDetailRoutes = [details];
