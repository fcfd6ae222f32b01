// The list of keyboard shortcuts that hold where one is: `?`.
import { signal } from "@preact/signals";
import { Fragment } from "preact";
import { Dialog } from "../parts/dialog.tsx";
import { Kbd } from "../parts/kbd.tsx";
import { type Shortcut, shortcuts } from "../state/shortcuts.ts";
import { texts } from "./texts.ts";

const open = signal(false);

export function openShortcuts(): void {
  open.value = true;
}

export function ShortcutsHelp() {
  const { shortcuts: title, general, here } = texts();
  const scopes = Map.groupBy(shortcuts.value, ({ scope }) => told(scope) ?? here);
  // First what holds on this page alone.
  const order = [...scopes].sort(([one], [other]) =>
    Number(one === general) - Number(other === general)
  );
  return (
    <Dialog title={title} open={open.value} onClose={() => void (open.value = false)}>
      <div class="stack">
        {order.map(([scope, all]) => (
          <section key={scope} class="stack stack-tight">
            <h3>{scope}</h3>
            <dl class="shortcut-list">
              {[...new Map(all.map((one) => [one.keys, one])).values()].map(({ keys, label }) => (
                <Fragment key={keys}>
                  <dt>{told(label)}</dt>
                  <dd>
                    <Kbd keys={keys} />
                  </dd>
                </Fragment>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

function told(text: Shortcut["label"] | undefined): string | undefined {
  return typeof text === "function" ? text() : text;
}
