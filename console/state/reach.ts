// Which pages somebody may open: what the server has, and what they may see there.
import { type ConsolePage, type Group, PAGES } from "../pages.ts";
import { place, serves } from "./place.ts";
import { can } from "./session.ts";

/** Whether the server has what a page shows. */
export function isServed({ modules, development }: ConsolePage): boolean {
  return (!development || place.development) && (modules === undefined || modules.some(serves));
}

/** Whether the signed-in user may open a page. */
export function mayOpen(page: ConsolePage): boolean {
  return isServed(page) && (page.access === undefined || can(...page.access));
}

/** The pages of a group that the signed-in user may open, in order. */
export function pagesOf(group: Group): (typeof PAGES)[number][] {
  return PAGES.filter((page) => "group" in page && page.group === group && mayOpen(page));
}

/** Where somebody who has signed in begins. */
export function home(): string {
  const first = PAGES.find((page) => "group" in page && mayOpen(page));
  return first?.path ?? "/account";
}

/** Where to go after signing in: a path of this console that another page named, else the first page. */
export function wayBack(redirect: string | null | undefined): string {
  const url = redirect ? URL.parse(redirect, location.origin) : null;
  return url?.origin === location.origin && redirect!.startsWith("/") && !redirect!.startsWith("//")
    ? url.pathname + url.search
    : home();
}

/** Whether people may register themselves here. */
export const registration = place.registration;
