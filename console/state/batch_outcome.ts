// What became of many records that were changed at once.
import { ApiError } from "../../client/mod.ts";

export interface Refusal {
  readonly id: string;
  /** Absent where the record is gone. */
  readonly message?: string;
}

export interface Outcome {
  readonly done: readonly string[];
  /** Those that the server left as they are, and why. */
  readonly refused: readonly Refusal[];
}

interface Result {
  readonly id?: string;
  readonly status: number;
  readonly body?: unknown;
}

interface RefusedBody {
  readonly error?: { readonly code?: string; readonly message?: string } | string;
  readonly message?: string;
}

/** @throws {ApiError} where all wait for a proof of who one is: then none is done, and all can be asked again. */
export function sorted(results: readonly Result[]): Outcome {
  const done: string[] = [];
  const refused: Refusal[] = [];
  for (const { id = "", status, body } of results) {
    if (status < 400) {
      done.push(id);
      continue;
    }
    const { error, message } = (body ?? {}) as RefusedBody;
    const told = typeof error === "object" ? error : { message: error };
    if (told.code === "STEP_UP_REQUIRED") {
      throw new ApiError(told.message ?? "", status, told.code);
    }
    const reason = told.message ?? message;
    refused.push({ id, ...(status !== 404 && reason ? { message: reason } : {}) });
  }
  return { done, refused };
}
