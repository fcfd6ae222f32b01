// What stands where there is nothing yet: what would be there, and how to begin.
import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

export interface EmptyProps {
  icon: IconName;
  title: string;
  text?: ComponentChildren;
  /** A button. */
  action?: ComponentChildren;
}

export function Empty({ icon, title, text, action }: EmptyProps) {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={icon} size={20} />
      </span>
      <p class="empty-title">{title}</p>
      {text && <p class="empty-text">{text}</p>}
      {action && <div class="empty-action">{action}</div>}
    </div>
  );
}
