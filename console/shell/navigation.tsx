// The pages that the signed-in user may open, by groups.
import { useLocation } from "preact-iso/router";
import { Icon, type IconName } from "../parts/icon.tsx";
import { type Group, pageAt, type PageId, PAGES } from "../pages.ts";
import { pagesOf } from "../state/reach.ts";
import { hasPage, loadPage } from "./components.ts";
import { texts } from "./texts.ts";

/** Those of the account are reached through its menu. */
const GROUPS: readonly Group[] = ["work", "people", "administration"];

export const PAGE_ICONS: Readonly<Partial<Record<PageId, IconName>>> = {
  overview: "dashboard",
  documents: "documents",
  files: "files",
  messages: "messages",
  calendar: "calendar",
  tasks: "success",
  notifications: "bell",
  trash: "trash",
  users: "users",
  roles: "roles",
  teams: "teams",
  access: "shield",
  webhooks: "webhook",
  audit: "audit",
  snippets: "share",
  backups: "backup",
  settings: "settings",
  health: "health",
  requests: "log",
  profile: "users",
  security: "lock",
  sessions: "monitor",
  keys: "key",
  data: "download",
  preferences: "settings",
};

export function Navigation() {
  const { path } = useLocation();
  const { navigation, groups, pages } = texts();
  const here = sectionOf(path);
  return (
    <nav aria-label={navigation} class="navigation">
      {GROUPS.map((group) => {
        const shown = pagesOf(group).filter(({ id }) => hasPage(id));
        if (shown.length === 0) return null;
        return (
          <section key={group} aria-labelledby={`group-${group}`}>
            <h2 id={`group-${group}`}>{groups[group]}</h2>
            <ul>
              {shown.map(({ id, path }) => (
                <li key={id}>
                  <a
                    href={path}
                    aria-current={id === here ? "page" : undefined}
                    title={pages[id]}
                    onPointerEnter={() => void loadPage(id).catch(() => {})}
                  >
                    <Icon name={PAGE_ICONS[id] ?? "documents"} />
                    <span>{pages[id]}</span>
                  </a>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </nav>
  );
}

/** The page of the sidebar that a path belongs to: that of a user to the users. */
function sectionOf(path: string): PageId | undefined {
  const page = pageAt(path);
  if (!page || "group" in page) return page?.id;
  return PAGES.find((one) => "group" in one && path.startsWith(`${one.path}/`))?.id;
}
