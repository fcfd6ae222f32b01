// The head of a table: what its columns are called, what sorts by them, and the box that chooses all rows.
import { CheckBox } from "./choice_fields.tsx";
import { classes } from "./classes.ts";
import { Icon } from "./icon.tsx";
import { extent } from "./selection.ts";
import { type Column, direction, nextSort, sortField } from "./table_columns.ts";
import type { TableProps } from "./table_props.ts";
import { texts } from "./texts.ts";
import type { RowChoice } from "./use_row_choice.ts";

interface TableHeadProps<T> {
  table: TableProps<T>;
  /** The ids of the rows. */
  order: readonly string[];
  choice: Pick<RowChoice, "chosen" | "toggleAll">;
}

export function TableHead<T>({ table, order, choice }: TableHeadProps<T>) {
  const { columns, sort = "", onSort, selection, rowActions } = table;
  const said = texts().table;
  return (
    <thead role="rowgroup">
      <tr role="row" aria-rowindex={1} data-sort-by={said.sortBy}>
        {selection && <ChooseAll order={order} choice={choice} />}
        {columns.map((column) => (
          <Head key={column.id} column={column} sort={sort} onSort={onSort} />
        ))}
        {rowActions && (
          <th role="columnheader" scope="col" class="head">
            <span class="unseen">{said.actions}</span>
          </th>
        )}
      </tr>
    </thead>
  );
}

function ChooseAll({ order, choice }: Pick<TableHeadProps<unknown>, "order" | "choice">) {
  const said = texts().table;
  const all = extent(choice.chosen, order);
  return (
    <th role="columnheader" scope="col" class="head head-check">
      <label class="head-all">
        <CheckBox
          label={said.selectAll}
          value={all === "all"}
          mixed={all === "some"}
          disabled={order.length === 0}
          onChange={choice.toggleAll}
        />
        <span class="head-all-text" aria-hidden="true">{said.selectAll}</span>
      </label>
    </th>
  );
}

function Head<T>(
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
