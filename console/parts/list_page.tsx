// A page that is a list: search, filters, views, columns, the table, and its pages.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { ListState } from "../state/address.ts";
import { number } from "../state/format.ts";
import { prefer, preferences } from "../state/preferences.ts";
import { toast } from "../state/toasts.ts";
import { tried } from "../state/use_busy.ts";
import { Button } from "./button.tsx";
import { download, tableCsv } from "./csv.ts";
import { Empty, type EmptyProps } from "./empty.tsx";
import type { Filter } from "./filters.tsx";
import { loadAll, type ReadList } from "./list_data.ts";
import { ListTools } from "./list_tools.tsx";
import { type Action, Menu } from "./menu.tsx";
import { MoreMenu } from "./more_menu.tsx";
import { NothingMatches } from "./nothing_matches.tsx";
import { Page, type PageProps } from "./page.tsx";
import { Pager, pagesOf } from "./pager.tsx";
import { SavedViews } from "./saved_views.tsx";
import { type Column, visibleColumns } from "./table_columns.ts";
import { Table, type TableProps } from "./table.tsx";
import { texts } from "./texts.ts";

export type { Filter } from "./filters.tsx";
export { listed, loadList } from "./list_data.ts";

type OfPage = Pick<PageProps, "title" | "text" | "mark" | "back" | "actions" | "tabs">;
type OfTable<T> = Pick<
  TableProps<T>,
  | "columns"
  | "rows"
  | "rowId"
  | "rowName"
  | "selection"
  | "onOpen"
  | "rowActions"
  | "bulkActions"
  | "loading"
  | "error"
  | "retry"
  | "total"
>;

export interface ListPageProps<T> extends OfPage, OfTable<T> {
  /** Names the list among saved views and hidden columns: `users`. */
  list: string;
  state: ListState;
  filters?: readonly Filter[];
  /** What the search field says; without, the list is not searched. */
  search?: string;
  /** What the list is for: the button at the top. */
  create?: { readonly label: string; readonly href?: string; readonly run?: () => void };
  /** A file of all that the list finds, made of the columns that are shown: its name, and what reads a page. */
  exporting?: { readonly name: string; readonly read: ReadList<T> };
  importing?: () => void;
  /** More for the menu at the end of the toolbar. */
  moreActions?: readonly Action[];
  /** What stands where the list is empty, without filters. */
  empty: EmptyProps;
  /** Beside the search field. */
  toolbar?: ComponentChildren;
  /** Above the toolbar, such as figures. */
  above?: ComponentChildren;
  /** In place of the table: the rows in another shape, with what stands where there are none, and the pager. */
  body?: (
    parts: { readonly empty: ComponentChildren; readonly footer: ComponentChildren },
  ) => ComponentChildren;
}

export function ListPage<T>(props: ListPageProps<T>) {
  const {
    title,
    text,
    mark,
    back,
    actions,
    tabs,
    list,
    state,
    filters = [],
    search,
    create,
    empty,
    toolbar,
    above,
    body,
  } = props;
  const { columns, total = 0 } = props;
  const beyond = useLastPage(props);
  const rows = beyond ? undefined : props.rows;
  const hidden = preferences.value.hiddenColumns?.[list];
  const shown = useMemo(() => visibleColumns(columns, hidden), [columns, hidden]);
  const filtered = state.search !== "" || Object.keys(state.filters).length > 0;
  const nothing = beyond
    ? null
    : filtered
    ? <NothingMatches onClear={() => clearFilters(state, filters)} />
    : <Empty {...empty} />;
  const pager = (
    <Pager
      page={state.page}
      limit={state.limit}
      total={rows === undefined ? undefined : total}
      onPage={(page) => state.set({ page })}
      onLimit={(limit) => state.set({ limit })}
    />
  );
  return (
    <Page
      title={title}
      text={text}
      mark={mark}
      back={back}
      tabs={tabs}
      actions={(actions || create) && (
        <>
          {actions}
          {create && (
            <Button kind="primary" icon="plus" href={create.href} onClick={create.run}>
              {create.label}
            </Button>
          )}
        </>
      )}
    >
      {above}
      <ListTools
        state={state}
        filters={filters}
        search={search}
        end={
          <>
            <SavedViews list={list} state={state} />
            <ColumnMenu list={list} columns={columns} shown={shown} hidden={hidden} />
            <TableMenu {...props} shown={shown} />
          </>
        }
      >
        {toolbar}
      </ListTools>
      {body ? body({ empty: nothing, footer: pager }) : (
        <Table
          {...props}
          rows={rows}
          label={title}
          columns={shown}
          sort={state.sort}
          onSort={(sort) => state.set({ sort })}
          page={state.page}
          limit={state.limit}
          onPage={(page) => state.set({ page })}
          fill
          empty={nothing}
          footer={pager}
        />
      )}
    </Page>
  );
}

/** Leads from a page beyond the last, whose rows are all deleted by now, to the last one. @returns Whether it does. */
function useLastPage<T>({ state, rows, total = 0, loading }: ListPageProps<T>): boolean {
  const last = pagesOf(total, state.limit);
  const beyond = rows?.length === 0 && !loading && total > 0 && state.page > last;
  useEffect(() => {
    if (beyond) state.set({ page: last }, true);
  }, [beyond, last]);
  return beyond;
}

function clearFilters(state: ListState, filters: readonly Filter[]): void {
  state.set({
    search: "",
    filters: Object.fromEntries(filters.map(({ id }) => [id, undefined])),
  });
}

function ColumnMenu<T>(
  { list, columns, shown, hidden }: {
    list: string;
    columns: readonly Column<T>[];
    shown: readonly Column<T>[];
    hidden: readonly string[] | undefined;
  },
) {
  const said = texts().table;
  const visible = new Set(shown.map(({ id }) => id));
  const keep = (next: readonly string[] | undefined) => {
    const { [list]: _, ...others } = preferences.peek().hiddenColumns ?? {};
    prefer({ hiddenColumns: next ? { ...others, [list]: next } : others });
  };
  const items: Action[] = columns.slice(1).filter(({ hideable }) => hideable !== false).map((
    { id, title },
  ) => ({
    label: title,
    checked: visible.has(id),
    stay: true,
    run: () => {
      if (visible.has(id)) visible.delete(id);
      else visible.add(id);
      keep(columns.filter((column) => !visible.has(column.id)).map((column) => column.id));
    },
  }));
  if (items.length === 0) return null;
  const reset: Action = {
    label: texts().reset,
    icon: "restore",
    parted: true,
    run: () => keep(undefined),
  };
  return (
    <Menu
      label={said.columns}
      icon="columns"
      iconOnly
      align="end"
      button={{ kind: "plain" }}
      items={hidden ? [...items, reset] : items}
    />
  );
}

function TableMenu<T>(
  { shown, state, exporting, importing, moreActions = [] }: ListPageProps<T> & {
    shown: readonly Column<T>[];
  },
) {
  const said = texts().list;
  const items: Action[] = [];
  if (exporting) {
    items.push({
      label: said.export,
      icon: "download",
      run: () =>
        tried(async () => {
          const rows = await loadAll(state, exporting.read);
          download(`${exporting.name}.csv`, tableCsv(shown, rows));
          toast({ text: said.exported(number(rows.length)) });
        }),
    });
  }
  if (importing) items.push({ label: said.import, icon: "upload", run: importing });
  items.push(...moreActions);
  return <MoreMenu items={items} />;
}
