// What resources and actions of permissions are called.
import { translated } from "./language.ts";

const texts = translated({
  en: {
    everything: "Everything",
    everythingOf: (resource: string) => `Manage ${lower(resource)}`,
    one: (resource: string, action: string) => `${action} ${lower(resource)}`,
    resources: {
      users: "Users",
      roles: "Roles",
      permissions: "Permissions",
      teams: "Teams",
      documents: "Documents",
      files: "Files",
      messages: "Messages",
      notifications: "Notifications",
      snippets: "Snippets",
      calendar: "Calendar",
      dashboard: "Dashboard",
      analytics: "Analytics",
      settings: "Settings",
      webhooks: "Webhooks",
      audit: "Audit log",
      system: "System",
      backups: "Backups",
    },
    actions: {
      "*": "All",
      view: "View",
      list: "List",
      create: "Create",
      update: "Change",
      delete: "Delete",
      restore: "Restore",
    },
  },
  zh: {
    everything: "全部权限",
    everythingOf: (resource: string) => `管理${resource}`,
    one: (resource: string, action: string) => `${action}${resource}`,
    resources: {
      users: "用户",
      roles: "角色",
      permissions: "权限",
      teams: "团队",
      documents: "文档",
      files: "文件",
      messages: "消息",
      notifications: "通知",
      snippets: "代码片段",
      calendar: "日历",
      dashboard: "仪表盘",
      analytics: "分析",
      settings: "设置",
      webhooks: "Webhook",
      audit: "审计日志",
      system: "系统",
      backups: "备份",
    },
    actions: {
      "*": "全部",
      view: "查看",
      list: "列出",
      create: "创建",
      update: "修改",
      delete: "删除",
      restore: "恢复",
    },
  },
});

/** As it stands within a sentence. */
export function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function named(names: Readonly<Record<string, string>>, name: string): string {
  return Object.hasOwn(names, name) ? names[name]! : name;
}

/** `Documents`; a resource of one's own as it is written. */
export function resourceName(resource: string): string {
  return named(texts().resources, resource);
}

export function actionName(action: string): string {
  return named(texts().actions, action);
}

/** `Change documents`; `documents:*` is `Manage documents`: those of others, too. */
export function permissionName(permission: string): string {
  const { everything, everythingOf, one } = texts();
  if (permission === "*") return everything;
  const [resource = "", action = ""] = permission.split(":");
  if (action === "*") return everythingOf(resourceName(resource));
  return one(resourceName(resource), actionName(action));
}
