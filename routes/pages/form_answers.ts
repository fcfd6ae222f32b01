// Reads the forms of pages, and says what was wrong beside each of their fields.
import type { Context } from "hono";
import { z } from "zod";
import { ApiError, type FieldError } from "../../core/errors.ts";
import { exchangeOf } from "../../http/exchange.ts";
import { knownError } from "../../http/failures.ts";
import { inWords } from "../../http/words.ts";
import type { FormState } from "../../pages/forms.tsx";
import { newPasswordProblems } from "../../services/accounts/accounts.ts";
import { UniqueConflict } from "../../storage/port.ts";

/**
 * Reads a form with a new password that is typed twice.
 *
 * @param field Name of the field with the new password.
 * @returns What the schema makes of the form.
 * @throws {ApiError} VALIDATION_ERROR, with all that is wrong at once.
 */
export async function readNewPassword<S extends z.ZodObject>(
  schema: S,
  form: Readonly<Record<string, string>>,
  field = "password",
): Promise<z.output<S>> {
  const { success, data, error } = schema.safeParse(form, inWords);
  const found = await newPasswordProblems(form, { field, confirm: form[field] !== undefined });
  if (success && found.length === 0) return data;
  throw incomplete([...(error ? detailsOf(error) : []), ...found]);
}

/** The state to show a form again, with what was wrong beside its fields, or for the whole form if none is shown. */
export function rejected(
  c: Context,
  thrown: unknown,
  form: Readonly<Record<string, string>>,
  fields: readonly string[],
): { state: FormState; status: number } {
  const values = { name: form.name, email: form.email };
  const problem = thrown instanceof z.ZodError ? fromZod(thrown) : knownError(thrown);
  if (!problem) throw thrown;
  Object.assign(exchangeOf(c).headers, problem.headers);
  const shown = (problem.details ?? []).filter(({ field }) => fields.includes(field));
  const errors: Record<string, string> = {};
  for (const { field, message } of shown) errors[field] ??= sentence(message);
  if (thrown instanceof UniqueConflict && thrown.key === "email") {
    const field = fields.includes("email") ? "email" : "";
    errors[field] = "There is an account with this e-mail already";
  }
  if (Object.keys(errors).length === 0) errors[""] = problem.message;
  return { state: { values, errors }, status: problem.status };
}

/** What a schema found wrong, as the error that the API would answer with. */
function fromZod(error: z.ZodError): ApiError {
  return incomplete(detailsOf(error));
}

function detailsOf(error: z.ZodError): FieldError[] {
  return error.issues.map(({ path, message }) => ({ field: path.join("."), message }));
}

function incomplete(details: readonly FieldError[]): ApiError {
  return new ApiError("VALIDATION_ERROR", "Some fields are missing or not valid", { details });
}

function sentence(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1);
}
