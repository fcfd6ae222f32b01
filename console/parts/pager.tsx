// From page to page of a list.
import { number } from "../state/format.ts";
import { IconButton } from "./button.tsx";
import { Select } from "./choice_fields.tsx";
import { texts } from "./texts.ts";

export interface PagerProps {
  /** Counted from 1. */
  page: number;
  /** Rows a page, or all on one. */
  limit: number | "all";
  /** Of all pages; undefined until it is known, of which nothing is said. */
  total: number | undefined;
  onPage: (page: number) => void;
  /** Lets people choose how many rows a page has. */
  onLimit?: (limit: number | "all") => void;
  /** @default 25, 50, 100, all */
  limits?: readonly (number | "all")[];
}

const LIMITS: readonly (number | "all")[] = [25, 50, 100, "all"];

/** How many pages there are; one at least. */
export function pagesOf(total: number, limit: number | "all"): number {
  return limit === "all" ? 1 : Math.max(1, Math.ceil(total / limit));
}

function rangeOf(page: number, limit: number | "all", total: number): string {
  const said = texts().pager;
  const from = limit === "all" ? 1 : (page - 1) * limit + 1;
  const to = limit === "all" ? total : Math.min(page * limit, total);
  if (from > total) return said.none;
  return said.range(number(from), number(to), number(total));
}

export function Pager({ page, limit, total, onPage, onLimit, limits = LIMITS }: PagerProps) {
  const said = texts().pager;
  const pages = total === undefined ? page : pagesOf(total, limit);
  const step = (label: string, icon: Parameters<typeof IconButton>[0]["icon"], to: number) => (
    <IconButton
      size="s"
      icon={icon}
      label={label}
      aria-disabled={to < 1 || to > pages ? "true" : undefined}
      onClick={() => to >= 1 && to <= pages && onPage(to)}
    />
  );
  return (
    <nav class="pager" aria-label={said.label}>
      <p class="pager-range number" role="status">
        {total !== undefined && rangeOf(page, limit, total)}
      </p>
      {onLimit && (
        <Select
          class="pager-limit"
          label={said.perPage}
          size="s"
          value={String(limit)}
          options={limits.map((one) => ({
            value: String(one),
            label: one === "all" ? said.all : number(one),
          }))}
          onChange={(value) => onLimit(value === "all" ? "all" : Number(value))}
        />
      )}
      <div class="pager-steps">
        <span class="pager-page number">
          {total !== undefined && said.page(number(page), number(pages))}
        </span>
        {step(said.before, "chevron-left", page - 1)}
        {step(said.next, "chevron-right", page + 1)}
      </div>
    </nav>
  );
}
