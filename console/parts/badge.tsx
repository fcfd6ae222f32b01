// A word about the state of something.
import type { ComponentChildren } from "preact";
import { classes } from "./classes.ts";
import { Icon, type IconName } from "./icon.tsx";

export type Tone = "neutral" | "accent" | "good" | "warn" | "bad" | "note";

export interface BadgeProps {
  /** @default "neutral" */
  tone?: Tone;
  icon?: IconName;
  /** A dot in the colour of the tone, before a text without ground: for columns of states. */
  dot?: boolean;
  title?: string;
  children: ComponentChildren;
}

export function Badge({ tone = "neutral", icon, dot = false, title, children }: BadgeProps) {
  return (
    <span class={classes("badge", `badge-${tone}`, dot && "badge-dot")} title={title}>
      {icon && <Icon name={icon} size={12} />}
      {children}
    </span>
  );
}
