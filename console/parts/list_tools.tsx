// What stands above a list: its search, its filters, and what more can be done with it.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { ListState } from "../state/address.ts";
import { AddFilter, type Filter, FilterChips } from "./filters.tsx";
import { SearchField } from "./search_field.tsx";
import { useKeptFocus } from "./use_kept_focus.ts";

export interface ListToolsProps {
  readonly state: ListState;
  readonly filters?: readonly Filter[];
  /** What the search field says; without, the list is not searched. */
  readonly search?: string;
  /** At the end of the row. */
  readonly end?: ComponentChildren;
  /** Beside the search field. */
  readonly children?: ComponentChildren;
}

export function ListTools({ state, filters = [], search, end, children }: ListToolsProps) {
  const [adding, setAdding] = useState<string | null>(null);
  // A chip that is taken away leaves the focus to what had it before.
  const kept = useKeptFocus<HTMLDivElement>();
  return (
    <div class="list-tools" {...kept}>
      <div class="toolbar">
        {search !== undefined && (
          <SearchField
            class="toolbar-search"
            label={search}
            value={state.search}
            onChange={(value) => state.set({ search: value })}
          />
        )}
        {filters.length > 0 && <AddFilter filters={filters} state={state} onAdd={setAdding} />}
        {children}
        {end && <div class="toolbar-end">{end}</div>}
      </div>
      <FilterChips
        filters={filters}
        state={state}
        adding={adding}
        onAdded={() => setAdding(null)}
      />
    </div>
  );
}
