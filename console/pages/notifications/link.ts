// Where a notification leads.
import { type ConsolePage, pageAt } from "../../pages.ts";
import { mayOpen } from "../../state/reach.ts";

/**
 * The page of the console that a notification's link names; where the console has none of that record, the page above
 * it. Undefined where there is nothing that the signed-in user may open: links may be of other front ends.
 */
export function pageOf(link: string | undefined): string | undefined {
  if (!link?.startsWith("/") || link.startsWith("//")) return undefined;
  const path = link.split(/[?#]/, 1)[0]!;
  const event = /^\/calendar\/([^/]+)$/.exec(path)?.[1];
  if (event !== undefined) return pageOf(`/calendar?event=${event}`);
  const page = pageAt(path) as ConsolePage | undefined;
  if (page) return mayOpen(page) ? link : undefined;
  const above = path.slice(0, path.lastIndexOf("/"));
  return above === "" ? undefined : pageOf(above);
}
