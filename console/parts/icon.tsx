// An icon: lines in the colour of the text that it stands with.
import { type IconName, SHAPES } from "./icon_shapes.ts";

export type { IconName };

export interface IconProps {
  name: IconName;
  /** Pixels. @default 16 */
  size?: 12 | 14 | 16 | 20 | 24;
  /** What it says where no text stands with it; without, it is not read out. */
  label?: string;
  class?: string;
}

/** Icons that point somewhere are turned around where text runs from right to left. */
const DIRECTED: ReadonlySet<IconName> = new Set([
  "chevron-left",
  "chevron-right",
  "reply",
  "sign-out",
  "send",
  "restore",
  "sidebar",
]);

export function Icon({ name, size = 16, label, class: extra }: IconProps) {
  const classes = `icon${DIRECTED.has(name) ? " icon-directed" : ""}${extra ? ` ${extra}` : ""}`;
  return (
    <svg
      class={classes}
      width={size}
      height={size}
      viewBox="0 0 20 20"
      role={label ? "img" : undefined}
      aria-label={label}
      aria-hidden={label ? undefined : "true"}
      focusable="false"
    >
      <path d={SHAPES[name]} />
    </svg>
  );
}
