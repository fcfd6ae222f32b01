// What keys do in a table.
import { texts } from "./table_keys_texts.ts";
import type { ListedKeys } from "./use_listed_keys.ts";

/** What the table does. */
export interface TableMoves {
  /** Moves the focus to a row: steps from the present one, or the first or the last. */
  move(step: number): void;
  edge(which: "first" | "last"): void;
  page(step: 1 | -1): void;
  open(): void;
  choose(range: boolean): void;
  /** Moves the focus by a step, and what is chosen with it. */
  extend(step: 1 | -1): void;
  chooseAll(): void;
  clear(): boolean;
  /** Opens the menu of the row. */
  menu(): void;
}

/** The keys as the list of shortcuts has them. @param table What its rows can do. */
export function listedKeys(
  { opens, chosen, acts }: {
    readonly opens: boolean;
    readonly chosen: boolean;
    readonly acts: boolean;
  },
): ListedKeys {
  return [
    ["ArrowUp ArrowDown", () => texts().move],
    ["Home End", () => texts().edge],
    ["PageUp PageDown", () => texts().page],
    ...(opens ? [["Enter", () => texts().open]] as const : []),
    ...(chosen
      ? [
        ["x", () => texts().choose],
        ["shift+ArrowUp shift+ArrowDown", () => texts().extend],
        ["mod+a", () => texts().chooseAll],
        ["Escape", () => texts().clear],
      ] as const
      : []),
    ...(acts ? [[".", () => texts().menu]] as const : []),
  ];
}

/** Whether the key was one of the table's. Keys pressed in a field or a menu of a row are theirs. */
export function takeKey(event: KeyboardEvent, moves: TableMoves): boolean {
  const { key, shiftKey, altKey } = event;
  const command = event.ctrlKey || event.metaKey;
  if (altKey) return false;
  if (command) {
    if (key.toLowerCase() !== "a") return false;
    moves.chooseAll();
    return true;
  }
  switch (key) {
    case "ArrowDown":
    case "j":
    case "J":
      if (shiftKey) moves.extend(1);
      else moves.move(1);
      return true;
    case "ArrowUp":
    case "k":
    case "K":
      if (shiftKey) moves.extend(-1);
      else moves.move(-1);
      return true;
    case "Home":
      moves.edge("first");
      return true;
    case "End":
      moves.edge("last");
      return true;
    case "PageDown":
      moves.page(1);
      return true;
    case "PageUp":
      moves.page(-1);
      return true;
    case "Enter":
      moves.open();
      return true;
    case "x":
    case "X":
    case " ":
      moves.choose(shiftKey);
      return true;
    case ".":
      moves.menu();
      return true;
    case "Escape":
      return moves.clear();
    default:
      return false;
  }
}
