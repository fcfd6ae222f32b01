// Views of a list that people keep: filters, search and order under a name.
import { useState } from "preact/hooks";
import type { ListState } from "../state/address.ts";
import { prefer, preferences, type SavedView } from "../state/preferences.ts";
import { toast } from "../state/toasts.ts";
import { Button, IconButton } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { Popover } from "./popover.tsx";
import { TextField } from "./text_field.tsx";
import { texts } from "./texts.ts";
import { useKeptFocus } from "./use_kept_focus.ts";
import { holderOf, withBack, withName, withView } from "./view_list.ts";

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

const viewsOf = (list: string) => preferences.value.views?.[list] ?? [];

function keep(list: string, views: readonly SavedView[]): void {
  prefer({ views: { ...preferences.peek().views, [list]: views } });
}

export function SavedViews({ list, state }: SavedViewsProps) {
  const said = texts().list;
  const present = viewOf(state);
  const current = viewsOf(list).find((view) => view.query === present);
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
        <Views
          list={list}
          present={present}
          current={current}
          onChoose={(query) => {
            close();
            state.set({ text: query });
          }}
          onSaved={close}
        />
      )}
    </Popover>
  );
}

interface ViewsProps {
  list: string;
  /** What the list shows. */
  present: string;
  /** The view that is just that. */
  current: SavedView | undefined;
  onChoose: (query: string) => void;
  onSaved: () => void;
}

function Views({ list, present, current, onChoose, onSaved }: ViewsProps) {
  const said = texts().list;
  const views = viewsOf(list);
  /** The name of the view that is given another one. */
  const [chosen, setRenaming] = useState<string | null>(null);
  const renaming = views.find(({ name }) => name === chosen);
  // The form of a name goes away, and so does a view: the focus stays in the list of them.
  const kept = useKeptFocus<HTMLDivElement>();

  const remove = (view: SavedView) => {
    const at = views.indexOf(view);
    keep(list, views.filter((one) => one !== view));
    const back = () => keep(list, withBack(viewsOf(list), view, at));
    toast({ text: said.viewDeleted(view.name), action: { label: said.undo, run: back } });
  };
  const rename = (view: SavedView, name: string) => {
    const next = withName(views, view, name);
    if (!next) return false;
    setRenaming(null);
    keep(list, next);
    toast({ text: said.viewRenamed(name) });
    return true;
  };
  return (
    <div class="views-box" {...kept}>
      <ul class="views-list">
        <li>
          <ViewButton
            name={said.allRows}
            present={present === ""}
            onChoose={() => onChoose("")}
          />
        </li>
        {views.map((view, index) => (
          // By their places: one that is renamed stays what it is, and after one that is deleted the next has the focus.
          <li key={index}>
            <div class="views-row">
              <ViewButton
                name={view.name}
                present={view === current}
                onChoose={() => onChoose(view.query)}
              />
              <IconButton
                icon="edit"
                size="s"
                label={said.renameView(view.name)}
                aria-expanded={renaming === view}
                onClick={() => setRenaming(renaming === view ? null : view.name)}
              />
              <IconButton
                icon="x"
                size="s"
                label={said.deleteView(view.name)}
                onClick={() => remove(view)}
              />
            </div>
            {renaming === view && (
              <NewName
                key={view.name}
                before={view.name}
                onSave={(name) => rename(view, name)}
                onCancel={() => setRenaming(null)}
              />
            )}
          </li>
        ))}
      </ul>
      {present !== "" && !current && !renaming && (
        <NewView
          views={views}
          onSave={(name) => {
            keep(list, withView(views, { name, query: present }));
            toast({ text: said.viewSaved });
            onSaved();
          }}
        />
      )}
    </div>
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

interface NewNameProps {
  before: string;
  /** @returns Whether the name is free. */
  onSave: (name: string) => boolean;
  onCancel: () => void;
}

function NewName({ before, onSave, onCancel }: NewNameProps) {
  const [name, setName] = useState(before);
  const [taken, setTaken] = useState(false);
  const said = texts();
  return (
    <form
      class="views-name stack stack-tight"
      aria-label={said.list.renameView(before)}
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim()) setTaken(!onSave(name.trim()));
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        // The views stay open: only the new name is given up.
        event.preventDefault();
        event.stopPropagation();
        onCancel();
      }}
    >
      <TextField
        ref={focusAndSelect}
        label={said.list.viewName}
        value={name}
        error={taken ? said.list.viewTaken : undefined}
        onChange={(next) => {
          setName(next);
          setTaken(false);
        }}
        maxLength={LONGEST}
        autocomplete="off"
        required
      />
      <div class="row">
        <Button type="submit" size="s" kind="primary">{said.list.rename}</Button>
        <Button size="s" onClick={onCancel}>{said.cancel}</Button>
      </div>
    </form>
  );
}

/** Outside the component, so that it is done once. */
function focusAndSelect(field: HTMLInputElement | null): void {
  field?.focus();
  field?.select();
}

function NewView(
  { views, onSave }: { views: readonly SavedView[]; onSave: (name: string) => void },
) {
  const [name, setName] = useState("");
  const said = texts().list;
  const replaced = holderOf(views, name);
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
        hint={replaced && said.viewReplaced}
        value={name}
        onChange={setName}
        maxLength={LONGEST}
        autocomplete="off"
      />
      <Button type="submit" size="s">{replaced ? said.replaceView : said.saveView}</Button>
    </form>
  );
}
