// Fields for days and moments, on the browser's own pickers.
import type { InputHTMLAttributes } from "preact";
import { useEffect, useState } from "preact/hooks";
import { timeZone } from "../state/format.ts";
import { TextField, type TextFieldProps } from "./text_field.tsx";
import { texts } from "./texts.ts";
import { moment, wallTime } from "./zoned.ts";

type Bounds = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  "disabled" | "autofocus" | "autocomplete"
>;

export interface DateFieldProps extends
  Pick<
    TextFieldProps,
    "label" | "hint" | "error" | "required" | "name" | "hideLabel" | "id" | "class"
  >,
  Bounds {
  /** `2026-11-22`, or empty. */
  value: string;
  onChange: (value: string) => void;
  min?: string;
  max?: string;
}

export function DateField({ ...field }: DateFieldProps) {
  return <TextField {...field} type="date" />;
}

export interface DateTimeFieldProps extends DateFieldProps {
  /** The zone that the field shows. @default the one that the person has chosen for the console */
  zone?: string;
}

/** A moment: given and reported in ISO 8601, shown in a time zone. Bounds are moments too. */
export function DateTimeField(
  { value, onChange, min, max, hint, zone = timeZone.value, ...field }: DateTimeFieldProps,
) {
  const [wall, setWall] = useState(() => wallTime(value, zone));
  // While it is filled in it may be no whole time; what stands in it is changed from outside only.
  useEffect(() => {
    if (moment(wall, zone) !== sameMinute(value)) setWall(wallTime(value, zone));
  }, [value, zone]);
  return (
    <TextField
      {...field}
      type="datetime-local"
      hint={hint ?? texts().timesIn(zone.replaceAll("_", " "))}
      min={min && wallTime(min, zone)}
      max={max && wallTime(max, zone)}
      value={wall}
      onChange={(next) => {
        setWall(next);
        onChange(moment(next, zone));
      }}
    />
  );
}

/** ISO 8601 in UTC without seconds, which the field does not show. */
function sameMinute(iso: string): string {
  const at = Date.parse(iso);
  return Number.isNaN(at) ? "" : new Date(Math.floor(at / 60_000) * 60_000).toISOString();
}
