// The views that somebody keeps of a list: each under a name of its own, upper and lower case being the same.
import type { SavedView } from "../state/preferences.ts";

type Views = readonly SavedView[];

const alike = (one: string, other: string) =>
  one.trim().toLocaleLowerCase() === other.trim().toLocaleLowerCase();

/** The view that has a name already. @param but The one that is given it: it may keep it, and write it otherwise. */
export function holderOf(views: Views, name: string, but?: SavedView): SavedView | undefined {
  return views.find((view) => view !== but && alike(view.name, name));
}

/** With a view at the end; it takes the place of one that has its name. */
export function withView(views: Views, view: SavedView): Views {
  return [...views.filter((one) => !alike(one.name, view.name)), view];
}

/** With another name for a view; undefined where another view has it. */
export function withName(views: Views, view: SavedView, name: string): Views | undefined {
  if (holderOf(views, name, view)) return undefined;
  return views.map((one) => one === view ? { ...view, name: name.trim() } : one);
}

/** With a view that was deleted, where it stood; not where its name has been given to another since. */
export function withBack(views: Views, view: SavedView, at: number): Views {
  return holderOf(views, view.name) ? views : views.toSpliced(at, 0, view);
}
