// What the page of notifications says.
import { translated } from "../../state/language.ts";

export const texts = translated({
  en: {
    title: "Notifications",
    text: "What others did that concerns you, and what the server has to tell.",
    search: "Search notifications",
    all: "All",
    unread: "Unread",
    notification: "Notification",
    type: "Type",
    time: "When",
    types: {
      system: "System",
      user: "People",
      message: "Message",
      task: "Task",
      alert: "Alert",
    },
    isUnread: "unread",
    from: "From",
    to: "Until",
    none: "No notifications",
    noneText: "When something concerns you, it is told here, at once.",
    noneUnread: "All read",
    noneUnreadText: "Nothing new for you.",
    open: "Open",
    markRead: "Mark as read",
    markAll: "Mark all as read",
    marked: (count: number) =>
      count === 1
        ? "One notification was marked as read"
        : `${count} notifications were marked as read`,
    delete: "Delete",
    deleteMany: (count: number) =>
      count === 1 ? "Delete the notification?" : `Delete ${count} notifications?`,
    deleteText: "This cannot be undone.",
    deleted: (count: number) =>
      count === 1 ? "The notification was deleted" : `${count} notifications were deleted`,
  },
  zh: {
    title: "通知",
    text: "他人所做的与您有关的事，以及服务器要告诉您的事。",
    search: "搜索通知",
    all: "全部",
    unread: "未读",
    notification: "通知",
    type: "类型",
    time: "时间",
    types: {
      system: "系统",
      user: "用户",
      message: "消息",
      task: "任务",
      alert: "警报",
    },
    isUnread: "未读",
    from: "开始日期",
    to: "结束日期",
    none: "没有通知",
    noneText: "有与您相关的事情时，会立即显示在这里。",
    noneUnread: "全部已读",
    noneUnreadText: "没有新的通知。",
    open: "打开",
    markRead: "标为已读",
    markAll: "全部标为已读",
    marked: (count) => `已将 ${count} 条通知标为已读`,
    delete: "删除",
    deleteMany: (count) => `删除 ${count} 条通知？`,
    deleteText: "删除后无法恢复。",
    deleted: (count) => `已删除 ${count} 条通知`,
  },
});
