// Every page of the console: its path, what it needs, and where it stands. The server reads this too: it answers these
// paths with the console, and others with 404.

/** The groups of the sidebar. */
export type Group = "work" | "people" | "administration" | "account";

export interface ConsolePage {
  /** Names its texts and its part of the program. */
  readonly id: string;
  /** `:name` stands for one segment. */
  readonly path: string;
  /** Where it stands in the sidebar; absent for what is reached from other pages. */
  readonly group?: Group;
  /** Modules of the server, one of which it needs. */
  readonly modules?: readonly string[];
  /** Permissions, one of which it needs. */
  readonly access?: readonly string[];
  /** For those who are not signed in. */
  readonly public?: true;
  /** For those who build the console: it is not served in production. */
  readonly development?: true;
  /** Keys that lead to it, after `g`. */
  readonly key?: string;
}

const DASHBOARD = ["dashboard:view", "users:view", "documents:view"];

export const PAGES = [
  {
    id: "overview",
    path: "/dashboard",
    group: "work",
    modules: ["dashboard"],
    access: DASHBOARD,
    key: "o",
  },
  {
    id: "documents",
    path: "/documents",
    group: "work",
    modules: ["documents"],
    access: ["documents:view"],
    key: "d",
  },
  { id: "document", path: "/documents/:id", modules: ["documents"], access: ["documents:view"] },
  {
    id: "files",
    path: "/files",
    group: "work",
    modules: ["files"],
    access: ["files:view"],
    key: "f",
  },
  { id: "file", path: "/files/:id", modules: ["files"], access: ["files:view"] },
  { id: "messages", path: "/messages", group: "work", modules: ["messages"], key: "m" },
  { id: "conversation", path: "/messages/:id", modules: ["messages"] },
  {
    id: "calendar",
    path: "/calendar",
    group: "work",
    modules: ["calendar"],
    access: ["calendar:view"],
    key: "c",
  },
  {
    id: "tasks",
    path: "/tasks",
    group: "work",
    modules: ["dashboard"],
    access: DASHBOARD,
    key: "t",
  },
  {
    id: "notifications",
    path: "/notifications",
    group: "work",
    modules: ["notifications"],
    key: "n",
  },
  {
    id: "trash",
    path: "/trash",
    group: "work",
    modules: ["trash"],
    access: ["documents:view", "files:view"],
  },
  {
    id: "users",
    path: "/users",
    group: "people",
    modules: ["users"],
    access: ["users:view"],
    key: "u",
  },
  { id: "user", path: "/users/:id", modules: ["users"], access: ["users:view"] },
  {
    id: "roles",
    path: "/roles",
    group: "people",
    modules: ["roles"],
    access: ["roles:view"],
    key: "r",
  },
  { id: "role", path: "/roles/:id", modules: ["roles"], access: ["roles:view"] },
  { id: "teams", path: "/teams", group: "people", modules: ["teams"], access: ["teams:view"] },
  { id: "team", path: "/teams/:id", modules: ["teams"], access: ["teams:view"] },
  { id: "access", path: "/access", group: "people", modules: ["users"], access: ["users:view"] },
  {
    id: "webhooks",
    path: "/webhooks",
    group: "administration",
    modules: ["webhooks"],
    access: ["webhooks:view"],
    key: "w",
  },
  { id: "webhook", path: "/webhooks/:id", modules: ["webhooks"], access: ["webhooks:view"] },
  {
    id: "audit",
    path: "/audit",
    group: "administration",
    modules: ["audit"],
    access: ["audit:view"],
    key: "a",
  },
  { id: "snippets", path: "/snippets", group: "administration", modules: ["snippets"] },
  {
    id: "backups",
    path: "/backups",
    group: "administration",
    modules: ["backups"],
    access: ["backups:view"],
    key: "b",
  },
  {
    id: "settings",
    path: "/settings",
    group: "administration",
    modules: ["system"],
    access: ["system:view"],
    key: "s",
  },
  {
    id: "health",
    path: "/server",
    group: "administration",
    modules: ["system"],
    access: ["system:view"],
    key: "h",
  },
  {
    id: "requests",
    path: "/requests",
    group: "administration",
    modules: ["system"],
    access: ["system:view"],
  },
  { id: "profile", path: "/account", group: "account", key: "p" },
  { id: "security", path: "/account/security", group: "account" },
  { id: "sessions", path: "/account/sessions", group: "account" },
  { id: "keys", path: "/account/keys", group: "account" },
  { id: "data", path: "/account/data", group: "account" },
  { id: "preferences", path: "/account/preferences", group: "account" },
  { id: "signIn", path: "/login", public: true },
  { id: "register", path: "/register", public: true },
  { id: "recover", path: "/forgot-password", public: true },
  { id: "reset", path: "/reset-password", public: true },
  { id: "invitation", path: "/accept-invitation", public: true },
  { id: "verify", path: "/verify-email", public: true },
  { id: "confirm", path: "/confirm-email", public: true },
  { id: "provider", path: "/oidc", public: true },
  { id: "secondFactor", path: "/second-factor" },
  { id: "setUp", path: "/setup", public: true },
  { id: "components", path: "/console/components", development: true },
] as const satisfies readonly ConsolePage[];

export type PageId = (typeof PAGES)[number]["id"];

/** The page that a path leads to; undefined where there is none. */
export function pageAt(path: string): (typeof PAGES)[number] | undefined {
  const segments = path.split("/");
  return PAGES.find((page) => {
    const wanted = page.path.split("/");
    return wanted.length === segments.length &&
      wanted.every((one, at) => one === segments[at] || one.startsWith(":") && segments[at] !== "");
  });
}
