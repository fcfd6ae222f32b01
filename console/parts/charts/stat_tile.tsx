// One figure, and how it has changed.
import type { ComponentChildren } from "preact";
import { percent } from "../../state/format.ts";
import { classes } from "../classes.ts";
import { Icon } from "../icon.tsx";
import { texts } from "../texts.ts";
import { Sparkline } from "./sparkline.tsx";

export interface StatTileProps {
  label: string;
  /** As people read it. */
  value: ComponentChildren;
  /** Against the time before: 0.12 is 12 % more. Null where there was nothing before. */
  change?: number | null;
  /** What it is compared with: "vs last month". */
  against?: string;
  /** Less is better, as with failures. */
  lessIsBetter?: boolean;
  /** The values up to this one. */
  trend?: readonly number[];
  href?: string;
}

export function StatTile(
  { label, value, change, against, lessIsBetter = false, trend, href }: StatTileProps,
) {
  return (
    <div class={classes("stat", href && "stat-link")}>
      <p class="stat-label">{href ? <a href={href}>{label}</a> : label}</p>
      <div class="stat-line">
        <p class="stat-value number">{value}</p>
        {trend && trend.length > 1 && <Sparkline values={trend} />}
      </div>
      {change !== undefined && (
        <p class="stat-change">
          {change !== null && <Change value={change} lessIsBetter={lessIsBetter} />}
          {against && <span>{against}</span>}
        </p>
      )}
    </div>
  );
}

/** How much more or less: by sign, arrow and colour. */
export function Change({ value, lessIsBetter = false }: { value: number; lessIsBetter?: boolean }) {
  const said = texts().charts;
  const text = percent(Math.abs(value));
  // What rounds to nothing is no change.
  if (Math.abs(value) < 0.0005) return <span class="change">{said.same}</span>;
  const better = (value > 0) !== lessIsBetter;
  return (
    <span class={classes("change number", better ? "change-good" : "change-bad")}>
      <Icon name={value > 0 ? "arrow-up" : "arrow-down"} size={12} />
      <span aria-hidden="true">{text}</span>
      <span class="unseen">{value > 0 ? said.up(text) : said.down(text)}</span>
    </span>
  );
}
