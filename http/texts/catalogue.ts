// Finds the code of a message by its English text, and tells it in another language.
//
// Errors are thrown with their English text, which is what the code says where it happens; as with gettext, that text is
// the key to the others.
import { BoundedMap } from "../../core/bounded_map.ts";
import { accountTexts } from "./accounts.ts";
import { contentTexts } from "./content.ts";
import { fieldTexts } from "./fields.ts";
import { operationTexts } from "./operations.ts";
import { referenceTexts } from "./references.ts";
import { requestTexts } from "./requests.ts";
import { type Language, type Texts, words } from "./texts.ts";

/** All messages, by code. */
export const texts: Texts = {
  ...fieldTexts,
  ...referenceTexts,
  ...requestTexts,
  ...accountTexts,
  ...contentTexts,
  ...operationTexts,
};

/** A message that was found. */
export interface Told {
  readonly code: string;
  /** What stands for the braces, by name. */
  readonly values: Readonly<Record<string, string>>;
}

interface Template {
  readonly code: string;
  /** What stands between the braces: one more than there are names. */
  readonly literals: readonly string[];
  readonly names: readonly string[];
}

/** Characters of a message that is looked for. */
const LONGEST = 5000;
/** Placeholders whose values are messages or words themselves. */
const TRANSLATED = new Set(["problem", "what"]);

const codeByText = new Map<string, string>();
/** Those with the most text of their own come first: they say the most. */
const templates: Template[] = [];
for (const [code, [english]] of Object.entries(texts)) {
  const parts = english.split(/\{(\w+)\}/);
  if (parts.length === 1) codeByText.set(english, code);
  else {
    const literals = parts.filter((_, n) => n % 2 === 0);
    templates.push({ code, literals, names: parts.filter((_, n) => n % 2 === 1) });
  }
}
const weight = ({ literals }: Template) => literals.join("").length;
templates.sort((a, b) => weight(b) - weight(a));

/** Answers to attacks are alike: the same few messages. */
const found = new BoundedMap<string, Told | null>(500);

/** The code of a message, and what it is filled with; null for one that is not in the catalogue. */
export function toldBy(english: string): Told | null {
  const code = codeByText.get(english);
  if (code !== undefined) return { code, values: {} };
  if (english.length > LONGEST) return null;
  const before = found.get(english);
  if (before !== undefined) return before;
  const told = filledIn(english);
  if (english.length <= 200) found.set(english, told);
  return told;
}

function filledIn(english: string): Told | null {
  for (const template of templates) {
    const values = valuesIn(english, template);
    if (values) return { code: template.code, values };
  }
  return null;
}

/** What stands for the braces of a template; each value ends where the text after it begins first. */
function valuesIn(text: string, { literals, names }: Template): Record<string, string> | null {
  if (!text.startsWith(literals[0]!) || !text.endsWith(literals.at(-1)!)) return null;
  const end = text.length - literals.at(-1)!.length;
  const values: Record<string, string> = {};
  let at = literals[0]!.length;
  for (const [n, name] of names.entries()) {
    const last = n === names.length - 1;
    const next = last ? end : text.indexOf(literals[n + 1]!, at);
    if (next < at || next > end) return null;
    values[name] = text.slice(at, next);
    at = next + literals[n + 1]!.length;
  }
  return values;
}

/** The message in a language; as it is where the catalogue has no other. */
export function inLanguage(english: string, language: Language): string {
  if (language === "en") return english;
  const told = toldBy(english);
  if (told === null) return english;
  return texts[told.code]![1].replace(/\{(\w+)\}/g, (_, name) => {
    const value = told.values[name] ?? "";
    if (!TRANSLATED.has(name)) return value;
    return Object.hasOwn(words, value) ? apart(words[value]!) : inLanguage(value, language);
  });
}

/** A word in Latin letters stands apart from the Chinese before it. */
function apart(word: string): string {
  return /^[A-Z]/.test(word) ? ` ${word}` : word;
}
