// The head of a column, and what stands for rows that are not in the page.
import { classes } from "./classes.ts";
import { Icon } from "./icon.tsx";
import { type Column, direction, nextSort, sortField } from "./table_columns.ts";

/** In place of rows that are scrolled out of sight. */
export function Gap({ height }: { height: number }) {
  return (
    <tr
      class="table-gap"
      role="presentation"
      aria-hidden="true"
      style={{ blockSize: `${height}px` }}
    />
  );
}

export function Head<T>(
  { column, sort, onSort }: {
    column: Column<T>;
    sort: string;
    onSort: ((sort: string) => void) | undefined;
  },
) {
  const field = onSort ? sortField(column) : null;
  const sorted = direction(field, sort);
  return (
    <th
      role="columnheader"
      scope="col"
      class={classes("head", column.align && `cell-${column.align}`)}
      aria-sort={sorted}
    >
      {field === null
        ? <span class="head-text cut">{column.title}</span>
        : (
          <button type="button" class="head-button" onClick={() => onSort!(nextSort(field, sort))}>
            <span class="cut">{column.title}</span>
            <Icon
              name={sorted === "descending" ? "arrow-down" : "arrow-up"}
              size={12}
              class={sorted === "none" ? "head-unsorted" : undefined}
            />
          </button>
        )}
    </th>
  );
}
