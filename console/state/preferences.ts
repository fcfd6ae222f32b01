// What a person has chosen for this console: appearance, language, columns, views. Kept in the browser, and on the server
// for their other browsers.
import { effect, signal } from "@preact/signals";

export interface Preferences {
  /** @default the browser's */
  readonly theme?: "light" | "dark";
  /** BCP 47; @default the browser's, where it is one that the console speaks */
  readonly language?: string;
  /** @default that of the language */
  readonly direction?: "ltr" | "rtl";
  /** IANA name; @default the browser's */
  readonly timeZone?: string;
  /** Whether the sidebar shows icons alone. */
  readonly narrow?: boolean;
  /** Ids of the columns that are hidden, by list. */
  readonly hiddenColumns?: Readonly<Record<string, readonly string[]>>;
  /** Views that were saved, by list. */
  readonly views?: Readonly<Record<string, readonly SavedView[]>>;
}

export interface SavedView {
  readonly name: string;
  /** What comes after the question mark of the list's address. */
  readonly query: string;
}

const KEY = "quarterdeck.preferences";

export const preferences = signal<Preferences>(read());

/** Changes some of them; undefined goes back to the default. */
export function prefer(change: Partial<Preferences>): void {
  preferences.value = { ...preferences.value, ...change };
}

function read(): Preferences {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return typeof kept === "object" && kept !== null ? kept : {};
  } catch {
    return {};
  }
}

/** Keeps them in the browser from now on, and shows what they say of the appearance. */
export function followPreferences(): void {
  effect(() => {
    const { theme, direction } = preferences.value;
    const root = document.documentElement;
    if (theme) root.dataset.theme = theme;
    else delete root.dataset.theme;
    root.dir = direction ?? "ltr";
    try {
      localStorage.setItem(KEY, JSON.stringify(preferences.value));
    } catch {
      // Without storage they last as long as the page.
    }
  });
  addEventListener("storage", ({ key }) => {
    if (key === KEY) preferences.value = read();
  });
}
