// What is done by one press: it works, or a message says why not.
import { ApiError } from "../../../client/mod.ts";
import { toast } from "../../state/toasts.ts";

/** @returns Whether it worked. */
export async function attempt(
  run: () => Promise<unknown>,
  done?: string | (() => string),
): Promise<boolean> {
  try {
    await run();
    if (done !== undefined) toast({ text: typeof done === "string" ? done : done() });
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    toast({ kind: "error", text: error.message });
    return false;
  }
}
