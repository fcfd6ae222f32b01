// What the command palette offers: pages, deeds, and the records that a text finds.
import { listDocuments, listFiles, listUsers } from "../../client/mod.ts";
import { type ConsolePage, type PageId, PAGES } from "../pages.ts";
import type { IconName } from "../parts/icon.tsx";
import { language, LANGUAGES } from "../state/language.ts";
import { place, serves } from "../state/place.ts";
import { prefer } from "../state/preferences.ts";
import { mayOpen } from "../state/reach.ts";
import { can, signOut } from "../state/session.ts";
import { hasPage } from "./components.ts";
import { leaveBy } from "./leaving.ts";
import { PAGE_ICONS } from "./navigation.tsx";
import { openShortcuts } from "./shortcuts_help.tsx";
import { texts } from "./texts.ts";

export interface Command {
  readonly id: string;
  readonly title: string;
  readonly icon: IconName;
  /** What stands at its end, in small. */
  readonly hint?: string;
  readonly run: () => void;
}

type Route = (path: string) => void;

/** Pages to go to, and what can be done anywhere. */
export function commandsFor(route: Route): Command[] {
  const {
    pages,
    groups,
    theme,
    light,
    dark,
    system,
    signOut: out,
    shortcuts,
    apiPage,
    language: spoken,
  } = texts();
  const paged = PAGES.filter((page) => "group" in page && hasPage(page.id) && mayOpen(page));
  return [
    ...paged.map((page): Command => {
      const { id, path, group } = page as ConsolePage & { id: PageId };
      return {
        id: `page-${id}`,
        title: pages[id],
        icon: PAGE_ICONS[id] ?? "documents",
        hint: groups[group!],
        run: () => route(path),
      };
    }),
    ...([["light", light, "sun"], ["dark", dark, "moon"], [undefined, system, "monitor"]] as const)
      .map(([value, title, icon]): Command => ({
        id: `theme-${value}`,
        title: `${theme}: ${title}`,
        icon,
        run: () => prefer({ theme: value }),
      })),
    ...Object.entries(LANGUAGES).filter(([code]) => code !== language.value).map(
      ([code, name]): Command => ({
        id: `language-${code}`,
        title: `${spoken}: ${name}`,
        icon: "language",
        run: () => prefer({ language: code }),
      }),
    ),
    { id: "shortcuts", title: shortcuts, icon: "keyboard", hint: "?", run: openShortcuts },
    {
      id: "api",
      title: apiPage,
      icon: "external",
      run: () => void open(`${place.api}/docs`, "_blank", "noopener"),
    },
    { id: "sign-out", title: out, icon: "sign-out", run: () => void leaveBy(signOut) },
  ];
}

/** Those whose words begin with what was typed first, then those that hold it. */
export function rank<T extends Pick<Command, "title">>(commands: readonly T[], text: string): T[] {
  const sought = text.trim().toLowerCase();
  if (!sought) return [...commands];
  const score = ({ title }: T) => {
    const lower = title.toLowerCase();
    if (lower.startsWith(sought)) return 0;
    if (lower.split(/[\s:]+/).some((word) => word.startsWith(sought))) return 1;
    return lower.includes(sought) ? 2 : 3;
  };
  return commands.map((command) => ({ command, score: score(command) }))
    .filter(({ score }) => score < 3)
    .sort((a, b) => a.score - b.score)
    .map(({ command }) => command);
}

/** Records of each kind that are shown. */
const SHOWN = 4;

/** The people, documents and files that a text finds, of those that the signed-in user sees. */
export async function findRecords(
  search: string,
  route: Route,
  signal: AbortSignal,
): Promise<Command[]> {
  const query = { search, limit: SHOWN };
  const none = Promise.resolve([]);
  const [users, documents, files] = await Promise.all([
    serves("users") && can("users:view")
      ? listUsers({ query, signal }).then(({ data }) => data)
      : none,
    serves("documents") && can("documents:view")
      ? listDocuments({ query, signal }).then(({ data }) => data)
      : none,
    serves("files") && can("files:view")
      ? listFiles({ query, signal }).then(({ data }) => data)
      : none,
  ]);
  return [
    ...users.map(({ id, name, email }): Command => ({
      id,
      title: name,
      icon: "users",
      hint: email,
      run: () => route(`/users/${id}`),
    })),
    ...documents.map(({ id, title }): Command => ({
      id,
      title,
      icon: "documents",
      run: () => route(`/documents/${id}`),
    })),
    ...files.map(({ id, name }): Command => ({
      id,
      title: name,
      icon: "files",
      run: () => route(`/files/${id}`),
    })),
  ];
}
