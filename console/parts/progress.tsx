// How far something is.
import { percent } from "../state/format.ts";

export interface ProgressProps {
  /** What is under way. */
  label: string;
  /** From 0 to 1; absent as long as nobody knows. */
  value?: number;
  /** Shows the label and the percentage above the bar. */
  shown?: boolean;
  /** @default "accent" */
  tone?: "accent" | "good" | "warn" | "bad";
}

export function Progress({ label, value, shown = false, tone = "accent" }: ProgressProps) {
  const part = value === undefined ? undefined : Math.min(1, Math.max(0, value));
  return (
    <div class={`progress progress-${tone}`}>
      {shown && (
        <div class="progress-words" aria-hidden="true">
          <span class="cut">{label}</span>
          {part !== undefined && (
            <span class="number">{percent(Math.round(part * 100) / 100)}</span>
          )}
        </div>
      )}
      <div
        class="progress-bar"
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={part === undefined ? undefined : Math.round(part * 100)}
        data-waiting={part === undefined}
      >
        <span style={part === undefined ? {} : { inlineSize: `${part * 100}%` }} />
      </div>
    </div>
  );
}
