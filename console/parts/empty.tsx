// What stands where there is nothing yet: what would be there, and how to begin.
import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

export interface EmptyProps {
  icon: IconName;
  title: string;
  text?: ComponentChildren;
  /** A button. */
  action?: ComponentChildren;
  /** Whether it is all of the page, and its title that of the page. @default false */
  whole?: boolean;
}

export function Empty({ icon, title, text, action, whole = false }: EmptyProps) {
  const Title = whole ? "h1" : "p";
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={icon} size={20} />
      </span>
      <Title class="empty-title">{title}</Title>
      {text && <p class="empty-text">{text}</p>}
      {action && <div class="empty-action">{action}</div>}
    </div>
  );
}
