// How errors are written: in the style of the variant, or as problem details (RFC 9457) for who asks for those.
import type { Context } from "hono";
import { parseAccept } from "hono/utils/accept";
import { ApiError, errorTable, invalidFields } from "../core/errors.ts";
import {
  InvalidQuery,
  ReferenceConflict,
  StoreFull,
  StoreUnavailable,
  TooLarge,
  UniqueConflict,
  VersionConflict,
} from "../storage/port.ts";
import type { Variant } from "../config/variants.ts";
import { bareness } from "./bare.ts";
import { exchangeOf } from "./exchange.ts";
import { fieldsIn, languageOf } from "./language.ts";
import { inLanguage } from "./texts/catalogue.ts";
import type { Language } from "./texts/texts.ts";
import { NEVER_STORED } from "./respond.ts";

const PROBLEM = "application/problem+json";

export interface FailureStyle {
  readonly variant: Variant;
  readonly basePath: string;
}

/** Writes an error. */
export function respondError(c: Context, style: FailureStyle, error: ApiError): Response {
  exchangeOf(c).refusal = error;
  const asked = wantsProblem(c);
  const language = languageOf(c);
  const { vary } = exchangeOf(c).headers;
  const headers: Record<string, string> = {
    "content-type": asked ? PROBLEM : "application/json",
    "cache-control": NEVER_STORED,
    ...exchangeOf(c).headers,
    "content-language": language,
    "vary": vary === undefined ? "Accept-Language" : `${vary}, Accept-Language`,
    ...error.headers,
  };
  // RFC 6750 section 3: a challenge comes with each 401.
  if (error.status === 401) headers["www-authenticate"] = "Bearer";
  const body = asked
    ? problemBody(style.basePath, error, language)
    : { ...errorBody(style.variant, error, language), ...errorsByField(c, error, language) };
  return new Response(JSON.stringify(body), { status: error.status, headers });
}

/** Only who names the type gets it: wildcards go on getting the errors they know. */
function wantsProblem(c: Context): boolean {
  const accept = c.req.raw.headers.get("accept");
  if (accept === null || !/problem\+json/i.test(accept)) return false;
  return parseAccept(accept).some(({ type, q }) => type.toLowerCase() === PROBLEM && q > 0);
}

/** What an error says, in a language. */
function spoken(error: ApiError, language: Language) {
  const { code, status, fields, plain, details } = error;
  return {
    code,
    status,
    fields,
    plain,
    message: inLanguage(error.message, language),
    details: details && fieldsIn(details, language),
  };
}

/** RFC 9457 section 3. The type leads to where the API page explains the code. */
function problemBody(
  basePath: string,
  error: ApiError,
  language: Language,
): Record<string, unknown> {
  const { code, status, message, details, fields } = spoken(error, language);
  return {
    ...fields,
    type: `${basePath}/docs/errors#${code}`,
    title: inLanguage(errorTable[code].message, language),
    status,
    detail: message,
    code,
    errors: details,
  };
}

/** What an error is told as, in the style of the variant. */
export function errorBody(
  variant: Variant,
  error: ApiError,
  language: Language,
): Record<string, unknown> {
  const { code, status, message, details, fields, plain } = spoken(error, language);
  if (plain) return { success: false, error: message };
  if (variant.errors === "envelope") {
    return { ...fields, success: false, error: { code, message, details }, message };
  }
  return status === 401 ? { error: message } : { ...fields, success: false, message, details };
}

/** What is wrong with each field, as the forms of the clients of other servers read it. */
function errorsByField(
  c: Context,
  { details }: ApiError,
  language: Language,
): { errors?: Record<string, string> } {
  if (!details || bareness(c) === null) return {};
  const told = fieldsIn(details, language);
  return { errors: Object.fromEntries(told.map(({ field, message }) => [field, message])) };
}

/** What a thrown error is to the client. Null: a defect of ours, to be logged. */
export function knownError(error: unknown): ApiError | null {
  if (error instanceof ApiError) return error;
  if (error instanceof UniqueConflict) {
    return new ApiError("CONFLICT", `Another record has the same ${error.key}`, {
      details: [{ field: error.key, message: "is taken" }],
    });
  }
  if (error instanceof VersionConflict) {
    return new ApiError("CONFLICT", "The record was changed by others at the same time: try again");
  }
  if (error instanceof ReferenceConflict) {
    return new ApiError("CONFLICT", "A record that this one refers to is gone");
  }
  if (error instanceof InvalidQuery) {
    const { part, message } = error;
    return part
      ? invalidFields([{ field: part, message }])
      : new ApiError("VALIDATION_ERROR", message);
  }
  if (error instanceof TooLarge) return new ApiError("PAYLOAD_TOO_LARGE", error.message);
  if (error instanceof StoreFull) return new ApiError("STORAGE_FULL", undefined, { cause: error });
  if (error instanceof StoreUnavailable) {
    return new ApiError("UNAVAILABLE", undefined, {
      headers: { "retry-after": "1" },
      cause: error,
    });
  }
  return null;
}
