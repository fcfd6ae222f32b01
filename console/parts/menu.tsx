// A menu: what can be done with something, behind one button.
import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { Button, type ButtonProps } from "./button.tsx";
import { classes } from "./classes.ts";
import { openState, useFocusInside, usePlace } from "./floating.ts";
import { Icon, type IconName } from "./icon.tsx";
import { Kbd } from "./kbd.tsx";

/** Something that can be done. */
export interface Action {
  readonly label: string;
  readonly icon?: IconName;
  /** What it does; or where it leads, by `href`. */
  readonly run?: () => unknown;
  readonly href?: string;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  /** Makes it something to switch on and off. */
  readonly checked?: boolean;
  /** The shortcut that does the same. */
  readonly keys?: string;
  /** A line above it, that parts it from the ones before. */
  readonly parted?: boolean;
  /** A heading above it, over it and the ones after. */
  readonly heading?: string;
  /** Said under the label. */
  readonly description?: string;
  /** The menu stays open after it, as where several are switched. */
  readonly stay?: boolean;
}

export interface MenuProps {
  /** What the menu is called; stands on its button, where that has no icon alone. */
  label: string;
  items: readonly Action[];
  icon?: IconName;
  /** Shows the icon alone; the label is its name and tooltip. */
  iconOnly?: boolean;
  /** Seen in place of the label, which is read out before it. */
  children?: ComponentChildren;
  /** @default "start" */
  align?: "start" | "end";
  /** More for the button. */
  button?: Omit<ButtonProps, "icon" | "children" | "ref">;
  /** Above the items, such as who is signed in. */
  header?: ComponentChildren;
}

export function Menu(
  { label, items, icon, iconOnly = false, children, align = "start", button, header }: MenuProps,
) {
  const id = useId();
  const anchor = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  /** Which item has the focus when it opens. */
  const first = useRef<"first" | "last">("first");
  usePlace(panel, anchor, open, align);

  useFocusInside(panel, open, (menu) => {
    const item = itemsOf(menu).at(first.current === "first" ? 0 : -1);
    first.current = "first";
    return item;
  });

  return (
    <>
      <Button
        kind={iconOnly ? "quiet" : "plain"}
        iconEnd={iconOnly ? undefined : "chevron-down"}
        {...button}
        icon={icon}
        class={classes(iconOnly && "icon-button", button?.class)}
        ref={anchor}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={id}
        aria-label={iconOnly ? label : undefined}
        title={iconOnly ? label : undefined}
        {...{ popovertarget: id }}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
          event.preventDefault();
          first.current = event.key === "ArrowUp" ? "last" : "first";
          panel.current!.showPopover({ source: anchor.current! } as never);
        }}
      >
        {iconOnly ? undefined : children === undefined ? label : (
          <>
            <span class="unseen">{label}</span> {children}
          </>
        )}
      </Button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        class="float menu"
        {...openState(setOpen)}
      >
        {open && header && <div class="menu-header">{header}</div>}
        {open && (
          <MenuItems
            label={label}
            items={items}
            onDone={() => {
              panel.current?.hidePopover();
              anchor.current?.focus();
            }}
          />
        )}
      </div>
    </>
  );
}

/** The items, moved through by arrow keys and first letters. */
export function MenuItems(
  { label, items, onDone }: { label: string; items: readonly Action[]; onDone: () => void },
) {
  const typed = useRef({ text: "", at: 0 });
  return (
    <div
      class="menu-items"
      role="menu"
      aria-label={label}
      onKeyDown={(event) => moveByKey(event, typed.current, onDone)}
    >
      {items.map((item, index) => (
        <MenuGroupStart key={`${index}${item.label}`} item={item} onDone={onDone} />
      ))}
    </div>
  );
}

function MenuGroupStart({ item, onDone }: { item: Action; onDone: () => void }) {
  return (
    <>
      {item.parted && <div class="menu-line" role="separator" />}
      {item.heading && <div class="menu-heading" role="presentation">{item.heading}</div>}
      <MenuItem item={item} onDone={onDone} />
    </>
  );
}

function MenuItem({ item, onDone }: { item: Action; onDone: () => void }) {
  const { label, icon, run, href, danger, disabled, checked, keys, description, stay } = item;
  const shape = classes("menu-item", danger && "menu-item-danger");
  const inside = (
    <>
      {checked !== undefined
        ? <Icon name="check" class={checked ? undefined : "menu-unchecked"} />
        : icon && <Icon name={icon} />}
      <span class="menu-label">
        {label}
        {description && <span class="menu-description">{description}</span>}
      </span>
      {keys && <Kbd keys={keys} />}
    </>
  );
  if (href !== undefined && !disabled) {
    return <a class={shape} role="menuitem" tabIndex={-1} href={href} onClick={onDone}>{inside}</a>;
  }
  return (
    <button
      type="button"
      class={shape}
      role={checked === undefined ? "menuitem" : "menuitemcheckbox"}
      aria-checked={checked}
      aria-disabled={disabled ? "true" : undefined}
      tabIndex={-1}
      onClick={() => {
        if (disabled) return;
        // First the focus goes back, so that a dialog that opens now gives it back there, too.
        if (!stay) onDone();
        run?.();
      }}
    >
      {inside}
    </button>
  );
}

function itemsOf(menu: Element): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>("[role^=menuitem]")];
}

/** Gives the focus to an item, counted around. */
export function focusItem(menu: Element, index: number): void {
  const items = itemsOf(menu);
  items.at(index % items.length)?.focus();
}

/** Milliseconds after which a letter begins a new word. */
const TYPE_AHEAD = 700;

function moveByKey(
  event: KeyboardEvent,
  typed: { text: string; at: number },
  close: () => void,
): void {
  const menu = event.currentTarget as HTMLElement;
  const items = itemsOf(menu);
  const at = items.indexOf(document.activeElement as HTMLElement);
  const targets: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: at < 0 ? -1 : at - 1,
    Home: 0,
    End: -1,
  };
  if (event.key === "Tab") return close();
  if (event.key in targets) {
    event.preventDefault();
    return focusItem(menu, targets[event.key]!);
  }
  if (
    event.key.length !== 1 || event.key === " " || event.ctrlKey || event.metaKey || event.altKey
  ) return;
  const fresh = event.timeStamp - typed.at > TYPE_AHEAD;
  typed.text = (fresh ? "" : typed.text) + event.key.toLocaleLowerCase();
  typed.at = event.timeStamp;
  // From the next on, where a word begins; so one letter again and again goes through all that begin with it.
  const from = typed.text.length === 1 ? at + 1 : Math.max(at, 0);
  const order = [...items.slice(from), ...items.slice(0, from)];
  order.find((item) => item.textContent?.trim().toLocaleLowerCase().startsWith(typed.text))
    ?.focus();
}
