// What is done to notifications.
import {
  deleteNotification,
  markNotificationRead,
  type Notification,
} from "../../../client/mod.ts";
import { confirm } from "../../parts/dialog.tsx";
import type { Action } from "../../parts/menu.tsx";
import { refresh } from "../../state/query.ts";
import { toast } from "../../state/toasts.ts";
import { tried } from "../../state/use_busy.ts";
import { pageOf } from "./link.ts";
import { texts } from "./texts.ts";

/** Marks those that are not read yet. */
export async function markRead(notifications: readonly Notification[]): Promise<void> {
  const unread = notifications.filter(({ read }) => !read);
  if (unread.length === 0) return;
  await tried(() => Promise.all(unread.map(({ id }) => markNotificationRead({ path: { id } }))));
  refresh("notifications");
}

/** Asks where there are several, then deletes. @returns Whether it was done. */
export async function remove(ids: readonly string[]): Promise<boolean> {
  const said = texts();
  const sure = ids.length === 1 || await confirm({
    title: said.deleteMany(ids.length),
    text: said.deleteText,
    action: said.delete,
    danger: true,
  });
  if (!sure) return false;
  const done = await tried(() =>
    Promise.all(ids.map((id) => deleteNotification({ path: { id } })))
  );
  refresh("notifications");
  if (done) toast({ text: said.deleted(ids.length) });
  return done;
}

export function rowActionsOf(
  one: Notification,
  open: (one: Notification) => void,
): readonly Action[] {
  const said = texts();
  return [
    ...(pageOf(one.link)
      ? [{ label: said.open, icon: "external", run: () => open(one) } as const]
      : []),
    ...(one.read
      ? []
      : [{ label: said.markRead, icon: "check", run: () => void markRead([one]) } as const]),
    {
      label: said.delete,
      icon: "trash",
      danger: true,
      parted: true,
      run: () => void remove([one.id]),
    },
  ];
}
