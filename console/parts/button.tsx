// What is pressed: buttons, and links that look like them.
import type { ButtonHTMLAttributes, ComponentChildren, Ref } from "preact";
import { useEffect, useState } from "preact/hooks";
import { classes } from "./classes.ts";
import { Icon, type IconName } from "./icon.tsx";
import { Spinner } from "./spinner.tsx";

type Passed = Omit<
  ButtonHTMLAttributes<HTMLButtonElement>,
  "icon" | "size" | "class" | "children" | "ref" | "kind" | "label"
>;

interface Shape {
  /** Primary: the one thing that the page is for. Quiet: without a frame. @default "plain" */
  kind?: "primary" | "plain" | "quiet" | "danger";
  /** @default "m" */
  size?: "s" | "m";
  /** Works on what it was pressed for: says so after 100 ms, and is not pressed again. */
  busy?: boolean;
  /** Makes it a link. */
  href?: string;
  /** With `href`: the name of the file that is downloaded. */
  download?: string | boolean;
  class?: string;
  ref?: Ref<HTMLButtonElement>;
}

export interface ButtonProps extends Shape, Passed {
  icon?: IconName;
  /** Behind the text, such as a chevron. */
  iconEnd?: IconName;
  children?: ComponentChildren;
}

/** Milliseconds after which something that works says so; what is faster does not flicker. */
const PATIENCE = 100;

/** Whether something has been going on for longer than people take for at once. */
function useLate(busy: boolean): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (!busy) return setLate(false);
    const timer = setTimeout(() => setLate(true), PATIENCE);
    return () => clearTimeout(timer);
  }, [busy]);
  return busy && late;
}

export function Button(
  {
    kind = "plain",
    size = "m",
    icon,
    iconEnd,
    busy = false,
    href,
    download,
    class: extra,
    children,
    ref,
    ...passed
  }: ButtonProps,
) {
  const late = useLate(busy);
  const still = busy || passed["aria-disabled"] === true || passed["aria-disabled"] === "true";
  const iconSize = size === "s" ? 14 : 16;
  const inside = (
    <>
      {icon && <Icon name={icon} size={iconSize} />}
      {children !== undefined && <span class="button-text">{children}</span>}
      {iconEnd && <Icon name={iconEnd} size={iconSize} />}
      {late && <Spinner size={iconSize} />}
    </>
  );
  const shape = classes("button", `button-${kind}`, `button-${size}`, late && "button-busy", extra);
  if (href !== undefined) {
    return (
      <a
        {...passed as object}
        ref={ref as Ref<HTMLElement> as never}
        class={shape}
        href={href}
        download={download}
      >
        {inside}
      </a>
    );
  }
  return (
    <button
      type="button"
      {...passed}
      ref={ref}
      class={shape}
      // Not disabled, which would lose the focus.
      aria-disabled={still ? "true" : undefined}
      aria-busy={busy ? "true" : undefined}
      onClick={(event) => {
        if (still) event.preventDefault();
        else passed.onClick?.(event);
      }}
    >
      {inside}
    </button>
  );
}

export interface IconButtonProps extends Shape, Passed {
  icon: IconName;
  /** What it does: its name for screen readers, and the tooltip. */
  label: string;
  /** A number at its corner; 0 is not shown. */
  count?: number;
}

export function IconButton(
  { icon, label, kind = "quiet", size = "m", count = 0, class: extra, ...rest }: IconButtonProps,
) {
  return (
    <Button
      {...rest}
      kind={kind}
      size={size}
      icon={icon}
      class={classes("icon-button", extra)}
      // What is seen is part of the name: the number stands in the text, not in a label.
      aria-label={count > 0 ? undefined : label}
      title={label}
    >
      {count > 0
        ? (
          <>
            <span class="unseen">{label}</span>{" "}
            <span class="count">{count > 99 ? "99+" : count}</span>
          </>
        )
        : undefined}
    </Button>
  );
}

export interface ButtonGroupProps {
  /** What the buttons have in common. */
  label: string;
  children: ComponentChildren;
}

/** Buttons that belong together, joined to one bar. */
export function ButtonGroup({ label, children }: ButtonGroupProps) {
  return <div class="button-group" role="group" aria-label={label}>{children}</div>;
}
