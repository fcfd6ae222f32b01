// A ring that turns while something works.
import { texts } from "./texts.ts";

export interface SpinnerProps {
  /** Pixels. @default 16 */
  size?: number;
  /** What is being done; nothing is read out where this is empty. @default "Loading" */
  label?: string;
}

export function Spinner({ size = 16, label = texts().loading }: SpinnerProps) {
  return (
    <span class="spinner" role={label ? "status" : undefined}>
      <svg width={size} height={size} viewBox="0 0 20 20" aria-hidden="true">
        <circle class="spinner-track" cx="10" cy="10" r="8" />
        <path class="spinner-arc" d="M10 2a8 8 0 0 1 8 8" />
      </svg>
      {label && <span class="unseen">{label}</span>}
    </span>
  );
}
