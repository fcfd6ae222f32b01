// A time zone, of those that the browser knows.
import { useMemo } from "preact/hooks";
import { Select, type SelectProps } from "../../parts/field.tsx";

export interface ZoneFieldProps extends Omit<SelectProps<string>, "options"> {
  /** What the empty choice says. */
  readonly none: string;
}

export function ZoneField({ none, value, ...field }: ZoneFieldProps) {
  const zones = useMemo(() => Intl.supportedValuesOf("timeZone"), []);
  // One that this browser does not list may have been chosen in another.
  const all = value === "" || zones.includes(value) ? zones : [value, ...zones];
  return (
    <Select
      {...field}
      value={value}
      options={[
        { value: "", label: none },
        ...all.map((zone) => ({ value: zone, label: zone.replaceAll("_", " ") })),
      ]}
    />
  );
}
