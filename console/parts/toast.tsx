// Where the short messages of state/toasts.ts are shown; once, in the frame of the page.
import { useLayoutEffect, useRef } from "preact/hooks";
import { dismiss, holdToasts, releaseToasts, type Toast, toasts } from "../state/toasts.ts";
import { Button, IconButton } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { texts } from "./texts.ts";

export { toast } from "../state/toasts.ts";

export function Toasts() {
  const region = useRef<HTMLDivElement>(null);
  const shown = toasts.value;
  const newest = shown.at(-1)?.id;
  useLayoutEffect(() => {
    const element = region.current!;
    if (element.matches(":popover-open")) element.hidePopover();
    // Shown anew it stands above a dialog that was opened meanwhile.
    if (newest !== undefined) element.showPopover();
  }, [newest]);
  return (
    <div
      ref={region}
      popover="manual"
      class="toasts"
      role="region"
      aria-label={texts().notifications}
      onMouseEnter={holdToasts}
      onMouseLeave={releaseToasts}
      onFocusIn={holdToasts}
      onFocusOut={releaseToasts}
    >
      {shown.map((one) => <Message key={one.id} {...one} />)}
    </div>
  );
}

function Message({ id, text, kind, action }: Toast) {
  return (
    <div class={`toast toast-${kind}`} role={kind === "error" ? "alert" : "status"}>
      <Icon name={kind} />
      <span class="toast-text">{text}</span>
      {action && (
        <Button
          size="s"
          kind="quiet"
          onClick={() => {
            dismiss(id);
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton size="s" icon="x" label={texts().dismiss} onClick={() => dismiss(id)} />
    </div>
  );
}
