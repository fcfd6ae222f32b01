// A part of a page, with a title of its own.
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { classes } from "./classes.ts";

export interface CardProps {
  title?: string;
  /** Under the title. */
  text?: ComponentChildren;
  /** Beside the title. */
  actions?: ComponentChildren;
  /** Under a line at the end. */
  footer?: ComponentChildren;
  /** What is inside reaches to the edges, such as a table. */
  flush?: boolean;
  class?: string;
  id?: string;
  children?: ComponentChildren;
}

export function Card(
  { title, text, actions, footer, flush = false, class: extra, id, children }: CardProps,
) {
  const made = useId();
  return (
    <section
      class={classes("card", flush && "card-flush", extra)}
      id={id}
      aria-labelledby={title ? `${made}-title` : undefined}
    >
      {(title || actions) && (
        <header class="card-head">
          <div class="card-words">
            {title && <h2 id={`${made}-title`}>{title}</h2>}
            {text && <p class="card-text">{text}</p>}
          </div>
          {actions && <div class="row">{actions}</div>}
        </header>
      )}
      {children !== undefined && <div class="card-body">{children}</div>}
      {footer && <footer class="card-foot">{footer}</footer>}
    </section>
  );
}
