// The components of the pages, each loaded when it is opened first.
import type { ComponentType } from "preact";
import type { PageId } from "../pages.ts";

export type PageComponent = ComponentType<{ readonly params: Readonly<Record<string, string>> }>;

type Load = () => Promise<{ readonly default: PageComponent }>;

const loads: Partial<Record<PageId, Load>> = {
  // Overview and tasks
  overview: () => import("../pages/overview/overview.tsx"),
  tasks: () => import("../pages/tasks/tasks.tsx"),
  // Documents
  documents: () => import("../pages/documents/list.tsx"),
  document: () => import("../pages/documents/document.tsx"),
  // Files and trash
  trash: () => import("../pages/trash/trash.tsx"),
  files: () => import("../pages/files/list.tsx"),
  file: () => import("../pages/files/file.tsx"),
  // Messages and notifications
  messages: () => import("../pages/messages/messages.tsx"),
  conversation: () => import("../pages/messages/messages.tsx"),
  notifications: () => import("../pages/notifications/notifications.tsx"),
  // Calendar
  calendar: () => import("../pages/calendar/calendar.tsx"),
  // People
  users: () => import("../pages/users/list.tsx"),
  user: () => import("../pages/users/detail.tsx"),
  roles: () => import("../pages/roles/list.tsx"),
  role: () => import("../pages/roles/role.tsx"),
  teams: () => import("../pages/teams/list.tsx"),
  team: () => import("../pages/teams/team.tsx"),
  access: () => import("../pages/access/access.tsx"),
  // Administration
  webhooks: () => import("../pages/webhooks/list.tsx"),
  webhook: () => import("../pages/webhooks/detail.tsx"),
  audit: () => import("../pages/audit/audit.tsx"),
  settings: () => import("../pages/settings/settings.tsx"),
  backups: () => import("../pages/backups/backups.tsx"),
  requests: () => import("../pages/requests/requests.tsx"),
  snippets: () => import("../pages/snippets/snippets.tsx"),
  health: () => import("../pages/health/health.tsx"),
  // Account and signing in
  profile: () => import("../pages/account/profile.tsx"),
  security: () => import("../pages/account/security.tsx"),
  sessions: () => import("../pages/account/sessions.tsx"),
  keys: () => import("../pages/account/keys.tsx"),
  data: () => import("../pages/account/data.tsx"),
  preferences: () => import("../pages/account/preferences.tsx"),
  secondFactor: () => import("../pages/account/second_factor.tsx"),
  signIn: () => import("../pages/entry/sign_in.tsx"),
  register: () => import("../pages/entry/register.tsx"),
  recover: () => import("../pages/entry/recover.tsx"),
  reset: () => import("../pages/entry/reset.tsx"),
  invitation: () => import("../pages/entry/invitation.tsx"),
  verify: () => import("../pages/entry/verify.tsx"),
  confirm: () => import("../pages/entry/confirm.tsx"),
  provider: () => import("../pages/entry/provider.tsx"),
  setUp: () => import("../pages/entry/set_up.tsx"),
  // Design system
  components: () => import("../pages/components/components.tsx"),
};

const loaded = new Map<PageId, PageComponent>();

/** The component of a page, where it was loaded before. */
export function loadedPage(id: PageId): PageComponent | undefined {
  return loaded.get(id);
}

/** @throws The part of the program cannot be loaded: the server is away, or runs another version now. */
export async function loadPage(id: PageId): Promise<PageComponent> {
  const known = loaded.get(id);
  if (known) return known;
  const { default: component } = await loads[id]!();
  loaded.set(id, component);
  return component;
}

/** Whether the console has a page. */
export function hasPage(id: PageId): boolean {
  return loads[id] !== undefined;
}
