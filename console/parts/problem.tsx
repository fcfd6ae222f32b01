// What stands where something could not be read: what went wrong, and how to go on.
import type { ComponentChildren } from "preact";
import { ApiError } from "../../client/mod.ts";
import { duration } from "../state/format.ts";
import { Button } from "./button.tsx";
import { classes } from "./classes.ts";
import { Icon, type IconName } from "./icon.tsx";
import { texts } from "./texts.ts";

export interface ProblemProps {
  error: unknown;
  /** Tries again. */
  retry?: () => unknown;
  /** While it is tried again. */
  busy?: boolean;
  /** In a line, above what is still shown. */
  compact?: boolean;
  action?: ComponentChildren;
}

interface Said {
  readonly icon: IconName;
  readonly title: string;
  readonly text: string;
}

/** In words. */
export function describe(error: unknown): Said {
  const said = texts().problems;
  const { status, message, retryAfter } = error instanceof ApiError ? error : {
    status: -1,
    message: error instanceof Error ? error.message : String(error),
    retryAfter: null,
  };
  if (status === 0) return { icon: "offline", title: said.offline, text: said.offlineText };
  if (status === 403) return { icon: "lock", title: said.forbidden, text: said.forbiddenText };
  if (status === 404) return { icon: "search", title: said.missing, text: said.missingText };
  if (status === 429) {
    const text = retryAfter ? said.busyText(duration(retryAfter * 1000)) : said.busySoon;
    return { icon: "clock", title: said.busy, text };
  }
  return { icon: "warning", title: said.failed, text: message };
}

export function Problem({ error, retry, busy = false, compact = false, action }: ProblemProps) {
  const { icon, title, text } = describe(error);
  const id = error instanceof ApiError ? error.requestId : null;
  return (
    <div class={classes("problem", compact && "problem-compact")} role="alert">
      <span class="empty-icon">
        <Icon name={icon} size={compact ? 16 : 20} />
      </span>
      <div class="problem-words">
        <p class="empty-title">{title}</p>
        <p class="empty-text">{text}</p>
        {id && (
          <p class="problem-id">
            {texts().requestId} <code>{id}</code>
          </p>
        )}
      </div>
      {(retry || action) && (
        <div class="empty-action row">
          {retry && (
            <Button
              size={compact ? "s" : "m"}
              icon="refresh"
              busy={busy}
              onClick={() => void retry()}
            >
              {texts().retry}
            </Button>
          )}
          {action}
        </div>
      )}
    </div>
  );
}

/** A remark in a box, among other things on a page. */
export function Notice(
  { tone = "info", title, children, action }: {
    tone?: "info" | "success" | "warning" | "error";
    title?: string;
    children?: ComponentChildren;
    action?: ComponentChildren;
  },
) {
  return (
    <div class={`notice notice-${tone}`} role={tone === "error" ? "alert" : undefined}>
      <Icon name={tone} />
      <div class="notice-words">
        {title && <p class="strong">{title}</p>}
        {children && <div>{children}</div>}
      </div>
      {action}
    </div>
  );
}
