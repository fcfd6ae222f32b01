// What the charts of the overview have in common: their height, what stands there until they come, and their axis.
import { Skeleton } from "../../parts/skeleton.tsx";
import { compactNumber } from "../../state/format.ts";

/** Pixels. */
export const HEIGHT = 220;
/** Beside a short list. */
export const TALL = 250;

/** As high as a chart with its legend. */
export function Bones({ height }: { height: number }) {
  return <Skeleton block={`${height + 28}px`} />;
}

/** The axis of what is counted: there is no half of it. */
export function wholeNumber(value: number): string {
  return Number.isInteger(value) ? compactNumber(value) : "";
}
