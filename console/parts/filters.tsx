// The filters of a list: those that hold as chips, more behind a button.
import { useState } from "preact/hooks";
import type { ListState } from "../state/address.ts";
import { date } from "../state/format.ts";
import { Button } from "./button.tsx";
import { type Choice, RadioGroup } from "./choice_fields.tsx";
import { type PersonChoice, PersonPicker } from "./combobox.tsx";
import { DateField } from "./date_fields.tsx";
import { Icon } from "./icon.tsx";
import { Menu } from "./menu.tsx";
import { Popover } from "./popover.tsx";
import { TextField } from "./text_field.tsx";
import { texts } from "./texts.ts";

interface FilterCommon {
  /** The API's parameter. */
  readonly id: string;
  readonly label: string;
}

export type Filter =
  & FilterCommon
  & (
    | { readonly kind: "choice"; readonly options: readonly Choice[] }
    | { readonly kind: "text" }
    /** A day, `2026-11-22`. */
    | { readonly kind: "date" }
    | {
      readonly kind: "person";
      readonly load: (search: string, signal: AbortSignal) => Promise<readonly PersonChoice[]>;
      /** The name of who is chosen, by id, where the address alone is known. */
      readonly nameOf?: (id: string) => string | undefined;
    }
  );

export interface FiltersProps {
  filters: readonly Filter[];
  state: ListState;
}

/** Names of people who were chosen here, by id. */
const names = new Map<string, string>();

/** The value as people read it. */
function shown(filter: Filter, value: string): string {
  if (filter.kind === "choice") {
    return filter.options.find((one) => one.value === value)?.label ?? value;
  }
  if (filter.kind === "date") return date(value) || value;
  if (filter.kind === "person") return names.get(value) ?? filter.nameOf?.(value) ?? value;
  return value;
}

/** The button that adds one. */
export function AddFilter(
  { filters, state, onAdd }: FiltersProps & { onAdd: (id: string) => void },
) {
  const said = texts().list;
  const free = filters.filter(({ id }) => state.filters[id] === undefined);
  return (
    <Menu
      label={said.filter}
      icon="filter"
      button={{ iconEnd: undefined, disabled: free.length === 0 }}
      items={free.map(({ id, label }) => ({ label, run: () => onAdd(id) }))}
    />
  );
}

/** The chips. `adding` is the one whose editor opens by itself. */
export function FilterChips(
  { filters, state, adding, onAdded }: FiltersProps & {
    adding: string | null;
    onAdded: () => void;
  },
) {
  const said = texts().list;
  const present = filters.filter(({ id }) => state.filters[id] !== undefined || id === adding);
  if (present.length === 0) return null;
  return (
    <div class="filter-chips" role="group" aria-label={said.filter}>
      {present.map((filter) => (
        <FilterChip
          key={filter.id}
          filter={filter}
          value={state.filters[filter.id]}
          fresh={filter.id === adding}
          onClosed={onAdded}
          onChange={(value) => {
            if (filter.id === adding) onAdded();
            state.set({ filters: { [filter.id]: value } });
          }}
        />
      ))}
      {Object.keys(state.filters).length > 1 && (
        <Button
          size="s"
          kind="quiet"
          onClick={() =>
            state.set({ filters: Object.fromEntries(filters.map(({ id }) => [id, undefined])) })}
        >
          {said.clearFilters}
        </Button>
      )}
    </div>
  );
}

function FilterChip(
  { filter, value, fresh, onChange, onClosed }: {
    filter: Filter;
    value: string | undefined;
    fresh: boolean;
    onChange: (value: string | undefined) => void;
    onClosed: () => void;
  },
) {
  const said = texts().list;
  return (
    <span class="filter-chip">
      <Popover
        label={said.editFilter(filter.label)}
        initiallyOpen={fresh}
        onClosed={fresh ? onClosed : undefined}
        class="filter-editor"
        button={{
          size: "s",
          kind: "quiet",
          class: "filter-value",
          children: (
            <>
              <span class="muted">{filter.label}</span>{" "}
              <span class="strong">{value === undefined ? "…" : shown(filter, value)}</span>
            </>
          ),
        }}
      >
        {(close) => (
          <FilterEditor
            filter={filter}
            value={value ?? ""}
            onChange={(next) => {
              close();
              onChange(next || undefined);
            }}
          />
        )}
      </Popover>
      {value !== undefined && (
        <button
          type="button"
          class="chip-remove"
          aria-label={said.removeFilter(filter.label)}
          onClick={() => onChange(undefined)}
        >
          <Icon name="x" size={12} />
        </button>
      )}
    </span>
  );
}

function FilterEditor(
  { filter, value, onChange }: { filter: Filter; value: string; onChange: (value: string) => void },
) {
  const [draft, setDraft] = useState(value);
  const { label } = filter;
  if (filter.kind === "choice") {
    return <RadioGroup label={label} value={value} options={filter.options} onChange={onChange} />;
  }
  if (filter.kind === "person") {
    return (
      <PersonPicker
        label={label}
        autofocus
        load={filter.load}
        value={value ? [{ value, label: shown(filter, value) }] : []}
        onChange={([person]) => {
          if (person) names.set(person.value, person.label);
          onChange(person?.value ?? "");
        }}
      />
    );
  }
  const Kind = filter.kind === "date" ? DateField : TextField;
  return (
    <form
      class="stack stack-tight"
      onSubmit={(event) => {
        event.preventDefault();
        onChange(draft.trim());
      }}
    >
      <Kind label={label} value={draft} onChange={setDraft} autofocus />
      <Button type="submit" kind="primary" size="s">{texts().list.apply}</Button>
    </form>
  );
}
