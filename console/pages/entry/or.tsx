// Between two ways of signing in.
import { texts } from "./texts.ts";

/** A line with a word in it, between two ways. */
export function Or() {
  return (
    <p class="entry-or" aria-hidden="true">
      <span>{texts().or}</span>
    </p>
  );
}
