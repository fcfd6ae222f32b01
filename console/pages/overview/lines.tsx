// Short lists of the overview, each with the way to the whole of it.
import type { ComponentChildren } from "preact";
import { Skeleton } from "../../parts/skeleton.tsx";
import { pageLink } from "./page_link.ts";

/** Lines of each. */
export const LINES = 6;

export function More(
  { page, children }: { page: Parameters<typeof pageLink>[0]; children: string },
) {
  const href = pageLink(page);
  return href === undefined ? null : <a class="small" href={href}>{children}</a>;
}

export function Lines(
  { ready, none, lines }: {
    ready: boolean;
    none: string;
    lines: readonly ComponentChildren[];
  },
) {
  if (!ready) {
    return (
      <div class="glance">
        <Skeleton rows={LINES - 1} />
      </div>
    );
  }
  if (lines.length === 0) return <p class="glance-none">{none}</p>;
  return <ul class="glance">{lines}</ul>;
}
