// The language that a client asks for: Accept-Language (RFC 9110 section 12.5.4).
import type { Context } from "hono";
import { parseAccept } from "hono/utils/accept";
import type { FieldError } from "../core/errors.ts";
import { inLanguage, toldBy } from "./texts/catalogue.ts";
import { type Language, LANGUAGES } from "./texts/texts.ts";

/** The code of a problem whose message is in no catalogue. */
export const OTHER_PROBLEM = "invalid";
/** The code of the permission that was missing; its message is the permission. */
export const MISSING_PERMISSION = "missing_permission";

/** Characters of the field that are looked at. */
const LOOKED_AT = 500;

/** The language most asked for of those that are spoken, by the main part of its tag (`zh-CN` is `zh`); else English. */
export function languageOf(c: Context): Language {
  const asked = c.req.raw.headers.get("accept-language");
  if (asked === null) return LANGUAGES[0];
  let best: { readonly language: Language; readonly q: number } | null = null;
  for (const { type, q } of parseAccept(asked.slice(0, LOOKED_AT))) {
    const main = type.toLowerCase().split("-")[0];
    const language = main === "*" ? LANGUAGES[0] : LANGUAGES.find((one) => one === main);
    if (language && q > (best?.q ?? 0)) best = { language, q };
  }
  return best?.language ?? LANGUAGES[0];
}

/** What is wrong with fields, with the code of each problem, in a language. */
export function fieldsIn(
  problems: readonly FieldError[],
  language: Language,
): (FieldError & { readonly code: string })[] {
  return problems.map(({ field, message, code }) => ({
    field,
    message: inLanguage(message, language),
    code: code ?? toldBy(message)?.code ?? OTHER_PROBLEM,
  }));
}
