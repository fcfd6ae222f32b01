// Grey shapes of the size of what is being read, so that nothing moves when it comes.
import { classes } from "./classes.ts";
import { texts } from "./texts.ts";

export interface SkeletonProps {
  /** Lines of text. @default 3 */
  lines?: number;
  /** In place of lines: rows of a list, with a picture each. */
  rows?: number;
  /** In place of both: one block of this height, CSS. */
  block?: string;
  class?: string;
}

/** Widths of lines in percent, in turn: a text has no two lines alike. */
const WIDTHS = [92, 78, 86, 64, 81, 70] as const;
const widthOf = (index: number) => ({ inlineSize: `${WIDTHS[index % WIDTHS.length]}%` });

export function Skeleton({ lines = 3, rows, block, class: extra }: SkeletonProps) {
  return (
    <div class={classes("skeleton", extra)}>
      <span class="unseen" role="status">{texts().loading}</span>
      {block !== undefined
        ? <span class="bone" style={{ blockSize: block }} />
        : rows !== undefined
        ? Array.from(
          { length: rows },
          (_, index) => (
            <span class="skeleton-row" key={index} aria-hidden="true">
              <span class="bone bone-round" />
              <span class="skeleton-lines">
                <span
                  class="bone"
                  style={{ inlineSize: `${WIDTHS[index % WIDTHS.length]! / 2.5}%` }}
                />
                <span
                  class="bone bone-small"
                  style={{ inlineSize: `${WIDTHS[(index + 2) % WIDTHS.length]! / 1.8}%` }}
                />
              </span>
            </span>
          ),
        )
        : Array.from(
          { length: lines },
          (_, index) => <span class="bone" key={index} style={widthOf(index)} aria-hidden="true" />,
        )}
    </div>
  );
}
