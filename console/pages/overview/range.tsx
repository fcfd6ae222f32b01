// The days that the charts over time look back on, as the address has them.
import { RadioGroup } from "../../parts/field.tsx";
import { useParameter } from "../../state/address.ts";
import { texts } from "./texts.ts";

/** Days that can be looked at. */
const RANGES = [7, 30, 90, 365] as const;
export type Range = (typeof RANGES)[number];

const USUAL: Range = 30;
/** What the overview is read with: no request of its own. */
export const WEEK: Range = 7;

export function rangeOf(text: string): Range {
  return RANGES.find((one) => String(one) === text) ?? USUAL;
}

export function useRange(): [days: Range, set: (days: string) => void] {
  const [text, setText] = useParameter("days", String(USUAL));
  return [rangeOf(text), setText];
}

export function RangePicker({ days, onChange }: { days: Range; onChange: (days: string) => void }) {
  const said = texts();
  return (
    <RadioGroup
      class="range"
      label={said.range}
      hideLabel
      segmented
      name="range"
      value={String(days)}
      onChange={onChange}
      options={RANGES.map((one) => ({ value: String(one), label: said.days(one) }))}
    />
  );
}
