// Links to other pages, for those who may open them.
import { type ConsolePage, type PageId, PAGES } from "../../pages.ts";
import { mayOpen } from "../../state/reach.ts";

/** The path of a page; undefined where one may not open it. */
export function pageLink(id: PageId): string | undefined {
  const page = PAGES.find((one) => one.id === id) as ConsolePage | undefined;
  return page && mayOpen(page) ? page.path : undefined;
}
