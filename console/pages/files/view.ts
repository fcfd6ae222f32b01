// Whether files are shown as a grid, kept in this browser.
import { signal } from "@preact/signals";

const KEY = "quarterdeck.files.grid";

export const gridShown = signal(read());

export function showGrid(grid: boolean): void {
  gridShown.value = grid;
  try {
    localStorage.setItem(KEY, String(grid));
  } catch {
    // It is so until the page is left.
  }
}

function read(): boolean {
  try {
    return localStorage.getItem(KEY) === "true";
  } catch {
    return false;
  }
}
