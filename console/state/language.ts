// The language that the console speaks, and texts in each.
import { computed, effect } from "@preact/signals";
import { preferences } from "./preferences.ts";

export const LANGUAGES = { en: "English", zh: "中文" } as const;
export type Language = keyof typeof LANGUAGES;

function isLanguage(text: string): text is Language {
  return Object.hasOwn(LANGUAGES, text);
}

/** The one that was chosen, else the first of the browser's that the console speaks. */
export const language = computed<Language>(() => {
  const wanted = [preferences.value.language, ...navigator.languages ?? []];
  for (const one of wanted) {
    const known = one?.toLowerCase().split("-")[0];
    if (known && isLanguage(known)) return known;
  }
  return "en";
});

/**
 * What numbers and dates are written by: the browser's first language where the console speaks it (`en-GB`), else the
 * console's language as it is written where the browser is at home (`en-DE` for `de-DE`: days before months, weeks from
 * Monday on).
 */
export function localeFor(language: Language, languages: readonly string[]): string {
  const [first = language] = languages;
  if (first.toLowerCase().split("-")[0] === language) return first;
  try {
    const { region } = new Intl.Locale(first).maximize();
    return region === undefined ? language : `${language}-${region}`;
  } catch {
    // What the browser names is no language.
    return language;
  }
}

export const locale = computed(() => localeFor(language.value, navigator.languages ?? []));

/** The same keys with texts, or functions that give texts of the same arguments. */
type Same<T> = {
  [K in keyof T]: T[K] extends (...args: infer A) => string ? (...args: A) => string
    : T[K] extends string ? string
    : Same<T[K]>;
};

/**
 * Texts in every language.
 *
 * @returns What gives those of the present one. A component that calls it is shown anew when the language changes.
 */
export function translated<const T extends object>(
  texts: { readonly en: T; readonly zh: Same<T> },
): () => Same<T> {
  return () => texts[language.value] as Same<T>;
}

/** Tells the document, for screen readers and fonts. */
export function followLanguage(): void {
  effect(() => void (document.documentElement.lang = language.value));
}
