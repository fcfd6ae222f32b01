// The keys that hold in each view of the calendar, for the list of shortcuts.
import type { ListedKeys } from "../../parts/use_listed_keys.ts";
import { can } from "../../state/session.ts";
import { texts } from "./texts.ts";
import type { View } from "./use_shown_days.ts";

export function calendarKeys(view: View): ListedKeys {
  const said = () => texts().shortcuts;
  const keys: ListedKeys[number][] = [];
  if (view === "month") {
    keys.push(["ArrowUp ArrowDown ArrowLeft ArrowRight", () => said().day]);
    if (can("calendar:create")) keys.push(["Enter", () => said().create]);
  }
  if (view === "agenda") {
    if (can("calendar:delete")) keys.push(["x", () => said().choose]);
  } else if (can("calendar:update")) {
    keys.push([
      "alt+ArrowUp alt+ArrowDown alt+ArrowLeft alt+ArrowRight",
      () => said().move,
    ]);
  }
  return keys;
}
