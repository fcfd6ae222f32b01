// What every store has after its first start, as data: the built-in roles' labels, and the catalogue of permissions.
import type { BuiltInRole } from "./variants.ts";

export const ROLE_LABELS: Readonly<
  Record<BuiltInRole, readonly [label: string, description: string]>
> = {
  super_admin: ["Super administrator", "May do everything"],
  admin: ["Administrator", "Administers users and content"],
  user: ["User", "Works with content"],
  guest: ["Guest", "Sees the dashboard"],
};

/** Actions by resource: what endpoints ask for, and the names that front ends use. */
export const PERMISSION_CATALOGUE: Readonly<Record<string, readonly string[]>> = {
  users: ["view", "create", "update", "delete", "list"],
  roles: ["view", "create", "update", "delete", "list"],
  permissions: ["view", "create", "update", "delete", "list"],
  teams: ["view", "create", "update", "delete"],
  documents: ["view", "create", "update", "delete", "list"],
  files: ["view", "create", "update", "delete"],
  messages: ["view", "create", "update", "delete"],
  notifications: ["view", "update", "delete"],
  snippets: ["view", "create", "delete"],
  calendar: ["view", "create", "update", "delete"],
  dashboard: ["view", "update"],
  analytics: ["view"],
  settings: ["view"],
  webhooks: ["view", "create", "update", "delete"],
  audit: ["view"],
  system: ["view"],
  backups: ["view", "create", "delete"],
};
