// Tabs: parts of one page, one of which is shown.
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { number } from "../state/format.ts";
import { Icon, type IconName } from "./icon.tsx";

export interface Tab<V extends string = string> {
  readonly id: V;
  readonly label: string;
  readonly icon?: IconName;
  /** How much is behind it. */
  readonly count?: number;
  /** Where it leads; then all are links, and pages of their own. */
  readonly href?: string;
}

export interface TabsProps<V extends string> {
  /** What they are parts of. */
  label: string;
  tabs: readonly Tab<V>[];
  value: V;
  onChange?: (value: V) => void;
  /** What the present tab shows. */
  children?: ComponentChildren;
}

function Inside({ icon, label, count }: Tab) {
  return (
    <>
      {icon && <Icon name={icon} />}
      <span>{label}</span>
      {count !== undefined && <span class="tab-count">{number(count)}</span>}
    </>
  );
}

/** Scrolls to the present tab, where there is no room for all: the tabs alone, not the page. */
function showCurrent(list: HTMLElement): void {
  const current = list.querySelector("[aria-current=page], [aria-selected=true]");
  if (!current) return;
  const seen = list.getBoundingClientRect();
  const { left, right } = current.getBoundingClientRect();
  if (left < seen.left) list.scrollLeft -= seen.left - left;
  else if (right > seen.right) list.scrollLeft += right - seen.right;
}

export function Tabs<V extends string>({ label, tabs, value, onChange, children }: TabsProps<V>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => showCurrent(list.current!), [value]);
  if (tabs.some(({ href }) => href !== undefined)) {
    return (
      <>
        <nav ref={list} class="tabs" aria-label={label}>
          {tabs.map((tab) => (
            <a
              key={tab.id}
              class="tab"
              href={tab.href}
              aria-current={tab.id === value ? "page" : undefined}
            >
              <Inside {...tab} />
            </a>
          ))}
        </nav>
        {children}
      </>
    );
  }
  const go = (index: number) => {
    const next = tabs.at(index % tabs.length);
    if (!next) return;
    onChange?.(next.id);
    list.current!.querySelector<HTMLElement>(`[data-tab="${CSS.escape(next.id)}"]`)?.focus();
  };
  const at = tabs.findIndex((tab) => tab.id === value);
  const onKeyDown = (event: KeyboardEvent) => {
    const rtl = getComputedStyle(list.current!).direction === "rtl";
    const targets: Record<string, number> = {
      [rtl ? "ArrowLeft" : "ArrowRight"]: at + 1,
      [rtl ? "ArrowRight" : "ArrowLeft"]: at - 1,
      Home: 0,
      End: -1,
    };
    if (!(event.key in targets)) return;
    event.preventDefault();
    go(targets[event.key]!);
  };
  return (
    <>
      <div ref={list} class="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            class="tab"
            role="tab"
            id={`${id}-${tab.id}`}
            data-tab={tab.id}
            aria-selected={tab.id === value}
            aria-controls={children === undefined ? undefined : `${id}-panel`}
            tabIndex={tab.id === value ? 0 : -1}
            onClick={() => onChange?.(tab.id)}
          >
            <Inside {...tab} />
          </button>
        ))}
      </div>
      {children !== undefined && (
        <div
          class="tab-panel"
          role="tabpanel"
          id={`${id}-panel`}
          aria-labelledby={`${id}-${value}`}
          tabIndex={0}
        >
          {children}
        </div>
      )}
    </>
  );
}
