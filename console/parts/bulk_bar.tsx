// What can be done with the rows that are chosen: floats at the end of the page as long as some are.
import { Button, IconButton } from "./button.tsx";
import { type Action, Menu } from "./menu.tsx";
import { texts } from "./texts.ts";

export interface BulkBarProps {
  /** How many are chosen, in words. */
  text: string;
  actions: readonly Action[];
  onClear: () => void;
}

/** As many stand beside each other; the rest is in a menu. */
const BESIDE = 3;

export function BulkBar({ text, actions, onClear }: BulkBarProps) {
  const beside = actions.slice(0, actions.length === BESIDE + 1 ? BESIDE + 1 : BESIDE);
  const rest = actions.slice(beside.length);
  return (
    <div class="bulk-bar" role="region" aria-label={text}>
      <span class="bulk-count number" role="status">{text}</span>
      <div class="bulk-actions">
        {beside.map(({ label, icon, run, danger, disabled, href }) => (
          <Button
            key={label}
            size="s"
            kind="quiet"
            class={danger ? "button-warns" : undefined}
            icon={icon}
            href={href}
            disabled={disabled}
            onClick={() => void run?.()}
          >
            {label}
          </Button>
        ))}
        {rest.length > 0 && (
          <Menu
            label={texts().list.more}
            items={rest}
            align="end"
            button={{ size: "s", kind: "quiet" }}
          />
        )}
      </div>
      <IconButton size="s" icon="x" label={texts().clear} onClick={onClear} />
    </div>
  );
}
