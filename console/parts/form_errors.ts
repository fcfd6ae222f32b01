// Which field an error of the API belongs to.
import { ApiError } from "../../client/mod.ts";

export interface FormErrors {
  /** By the names of the form's fields. */
  readonly fields: Readonly<Record<string, string>>;
  /** What belongs to no field of the form; null where all does. */
  readonly summary: string | null;
}

export const NO_ERRORS: FormErrors = { fields: {}, summary: null };

/**
 * The server names what is wrong by paths: `title`, `address.city`, `items[0].price`, `items.0.price`. The form's field
 * is the one of the whole path, else that of its longest beginning.
 *
 * @param names Of the form's fields.
 */
export function formErrors(error: unknown, names: readonly string[]): FormErrors {
  if (!(error instanceof ApiError)) {
    return { fields: {}, summary: error instanceof Error ? error.message : String(error) };
  }
  const fields: Record<string, string> = {};
  const rest: string[] = [];
  for (const { field, message } of error.details) {
    const name = fieldOf(field, names);
    if (name === undefined) rest.push(field ? `${field}: ${message}` : message);
    // The first is the one that has to be mended first.
    else fields[name] ??= message;
  }
  const told = rest.length > 0 ? rest.join(" ") : null;
  return { fields, summary: told ?? (Object.keys(fields).length > 0 ? null : error.message) };
}

function fieldOf(path: string, names: readonly string[]): string | undefined {
  const steps = path.replaceAll(/\[(\w+)\]/g, ".$1").split(".");
  for (let length = steps.length; length > 0; length--) {
    const beginning = steps.slice(0, length).join(".");
    if (names.includes(beginning)) return beginning;
  }
  return undefined;
}
