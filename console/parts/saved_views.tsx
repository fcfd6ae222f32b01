// Views of a list that people keep: filters, search and order under a name.
import { useState } from "preact/hooks";
import type { ListState } from "../state/address.ts";
import { prefer, preferences, type SavedView } from "../state/preferences.ts";
import { toast } from "../state/toasts.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { Popover } from "./popover.tsx";
import { TextField } from "./text_field.tsx";
import { texts } from "./texts.ts";

export interface SavedViewsProps {
  /** Names the list. */
  list: string;
  state: ListState;
}

/** Characters of a name at most. */
const LONGEST = 40;

/** Views without their page: a view begins at its first. */
function viewOf(state: ListState): string {
  const params = new URLSearchParams(state.text);
  params.delete("page");
  return params.toString();
}

export function SavedViews({ list, state }: SavedViewsProps) {
  const said = texts().list;
  const views = preferences.value.views?.[list] ?? [];
  const present = viewOf(state);
  const keep = (next: readonly SavedView[]) =>
    prefer({ views: { ...preferences.peek().views, [list]: next } });

  const remove = (view: SavedView) => {
    keep(views.filter((one) => one !== view));
    toast({
      text: said.viewDeleted(view.name),
      action: { label: said.undo, run: () => keep(views) },
    });
  };
  const current = views.find((view) => view.query === present);
  return (
    <Popover
      label={said.views}
      align="end"
      class="views"
      button={{
        icon: "bookmark",
        children: current?.name ?? said.views,
        iconEnd: "chevron-down",
        kind: "plain",
      }}
    >
      {(close) => (
        <>
          <ul class="views-list">
            <li>
              <ViewButton
                name={said.allRows}
                present={present === ""}
                onChoose={() => {
                  close();
                  state.set({ text: "" });
                }}
              />
            </li>
            {views.map((view) => (
              <li key={view.name}>
                <ViewButton
                  name={view.name}
                  present={view === current}
                  onChoose={() => {
                    close();
                    state.set({ text: view.query });
                  }}
                />
                <button
                  type="button"
                  class="chip-remove"
                  aria-label={said.deleteView(view.name)}
                  onClick={() => remove(view)}
                >
                  <Icon name="x" size={12} />
                </button>
              </li>
            ))}
          </ul>
          {present !== "" && !current && (
            <NewView
              onSave={(name) => {
                keep([...views.filter((view) => view.name !== name), { name, query: present }]);
                toast({ text: said.viewSaved });
                close();
              }}
            />
          )}
        </>
      )}
    </Popover>
  );
}

function ViewButton(
  { name, present, onChoose }: { name: string; present: boolean; onChoose: () => void },
) {
  return (
    <button
      type="button"
      class="menu-item"
      aria-current={present ? "true" : undefined}
      onClick={onChoose}
    >
      <Icon name="check" class={present ? undefined : "menu-unchecked"} />
      <span class="menu-label cut">{name}</span>
    </button>
  );
}

function NewView({ onSave }: { onSave: (name: string) => void }) {
  const [name, setName] = useState("");
  const said = texts().list;
  return (
    <form
      class="views-new stack stack-tight"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim()) onSave(name.trim());
      }}
    >
      <TextField
        label={said.viewName}
        value={name}
        onChange={setName}
        maxLength={LONGEST}
        autocomplete="off"
      />
      <Button type="submit" size="s">{said.saveView}</Button>
    </form>
  );
}
