// What differs between the variants, as data. Nothing else asks which variant runs.

/** A group of routes that a variant mounts. */
export type Module =
  | "auth"
  | "users"
  | "roles"
  | "permissions"
  | "teams"
  | "documents"
  | "documentRevisions"
  | "documentShares"
  | "documentTags"
  | "documentPlacement"
  | "folders"
  | "files"
  | "fileShares"
  | "fileVersions"
  | "filePlacement"
  | "fileBatches"
  | "fileSearch"
  | "storageUsage"
  | "trash"
  | "messages"
  | "mailbox"
  | "conversations"
  | "notifications"
  | "notificationDetails"
  | "calendar"
  | "attendees"
  | "reminders"
  | "upcoming"
  | "dashboard"
  | "activities"
  | "webhooks"
  | "audit"
  | "backups"
  | "snippets";

export type BuiltInRole = "super_admin" | "admin" | "user" | "guest";

export interface Variant {
  readonly name: "compact" | "full" | "web" | "snippets";
  readonly modules: readonly Module[];
  /** Default of PORT. */
  readonly port: number;
  /** The variable that holds the secret of access tokens. */
  readonly secret: "JWT_SECRET" | "SESSION_SECRET";
  /** The variable that holds the secret of refresh tokens, where they have one of their own. */
  readonly refreshSecret?: "REFRESH_TOKEN_SECRET";
  /** Whether secrets that are alike or under 32 characters stop the start outside production too. */
  readonly strictSecrets: boolean;
  /** The variables that hold the lifetimes, with their defaults. */
  readonly accessLifetime: { readonly variable: string; readonly fallback: string };
  readonly refreshLifetime: { readonly variable: string; readonly fallback: string };
  /** Where the data is when neither DATABASE_URL nor DENO_KV_PATH is set. */
  readonly store: string;
  /** `envelope`: {success, error: {code, message}}; `simple`: {success, message}, and {error} for 401. */
  readonly errors: "envelope" | "simple";
  /** What an upload without its file part answers with in `error`: the envelope, or plain text. */
  readonly missingFile: "envelope" | "text";
  /** Media types that an upload accepts, decided by its bytes; null accepts all. */
  readonly uploadTypes: readonly string[] | null;
  /** /health and /metrics at the root, beside the health check under the base path. */
  readonly operations: boolean;
  /** The cookie `token` is a credential too, and pages are guarded by it. */
  readonly cookies: boolean;
  /** What login and register answer with: the token pair everywhere a client may look, or `user` and `token` alone. */
  readonly signIn: "pair" | "token";
  /** Login answers 400, not 401, to a password that is too short to be one. */
  readonly checkLoginForm: boolean;
  /** Registration requires `confirmPassword`. */
  readonly confirmPassword: boolean;
  readonly roles: Readonly<Record<BuiltInRole, readonly string[]>>;
  /** Resources that no role names: open to everyone signed in, who see their own alone. */
  readonly open: readonly string[];
}

const compactRoles: Variant["roles"] = {
  super_admin: ["*"],
  admin: ["users:*", "documents:*", "files:*", "messages:*", "calendar:*"],
  user: ["documents:view", "files:view", "messages:view", "calendar:view"],
  guest: ["dashboard:view"],
};

const compact: Variant = {
  name: "compact",
  modules: [
    "auth",
    "users",
    "documents",
    "documentRevisions",
    "files",
    "trash",
    "messages",
    "mailbox",
    "notifications",
    "calendar",
    "dashboard",
    "webhooks",
    "audit",
    "backups",
    "snippets",
  ],
  port: 8000,
  secret: "JWT_SECRET",
  strictSecrets: false,
  accessLifetime: { variable: "JWT_ACCESS_EXPIRES", fallback: "15m" },
  refreshLifetime: { variable: "JWT_REFRESH_EXPIRES", fallback: "7d" },
  store: "kv:data/quarterdeck.kv",
  errors: "envelope",
  missingFile: "text",
  uploadTypes: null,
  operations: false,
  cookies: false,
  signIn: "pair",
  checkLoginForm: false,
  confirmPassword: false,
  roles: compactRoles,
  open: ["notifications", "snippets"],
};

const full: Variant = {
  ...compact,
  name: "full",
  modules: [
    "auth",
    "users",
    "roles",
    "permissions",
    "teams",
    "documents",
    "documentRevisions",
    "documentShares",
    "documentTags",
    "documentPlacement",
    "folders",
    "files",
    "fileShares",
    "fileVersions",
    "filePlacement",
    "fileBatches",
    "fileSearch",
    "storageUsage",
    "trash",
    "messages",
    "conversations",
    "notifications",
    "notificationDetails",
    "calendar",
    "attendees",
    "reminders",
    "upcoming",
    "dashboard",
    "activities",
    "webhooks",
    "audit",
    "backups",
    "snippets",
  ],
  port: 3001,
  refreshSecret: "REFRESH_TOKEN_SECRET",
  strictSecrets: true,
  accessLifetime: { variable: "JWT_EXPIRES_IN", fallback: "7d" },
  refreshLifetime: { variable: "REFRESH_TOKEN_EXPIRES_IN", fallback: "30d" },
  store: "sqlite:data/quarterdeck.db",
  missingFile: "envelope",
  uploadTypes: ["image/jpeg", "image/png", "application/pdf"],
  operations: true,
  roles: {
    super_admin: ["*"],
    admin: ["users:*", "documents:*", "files:*", "teams:*"],
    user: ["documents:view", "files:view", "calendar:*"],
    guest: ["dashboard:view"],
  },
  open: ["messages", "notifications", "snippets"],
};

const web: Variant = {
  ...compact,
  name: "web",
  modules: ["auth", "users", "dashboard", "activities", "webhooks", "audit", "backups", "snippets"],
  port: 3000,
  secret: "SESSION_SECRET",
  errors: "simple",
  missingFile: "envelope",
  cookies: true,
  signIn: "token",
  checkLoginForm: true,
  confirmPassword: true,
};

const snippets: Variant = {
  ...compact,
  name: "snippets",
  modules: ["auth", "snippets"],
};

/** By name and by the contract's letter. */
export const variants: Readonly<Record<string, Variant>> = {
  compact,
  full,
  web,
  snippets,
  K: compact,
  R: full,
  A: web,
};
