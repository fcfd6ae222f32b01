// Which of many records the server left as they are, and why.
import type { Refusal } from "../state/batch_outcome.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { texts } from "./texts.ts";

export interface RefusalsProps {
  readonly refused: readonly Refusal[];
  readonly nameOf: (id: string) => string | undefined;
  readonly onClose: () => void;
  /** @default says how many */
  readonly title?: string;
  readonly text?: string;
}

export function Refusals({ refused, nameOf, onClose, title, text }: RefusalsProps) {
  const said = texts().bulk;
  return (
    <Dialog
      open
      title={title ?? said.refused(refused.length)}
      text={text}
      onClose={onClose}
      footer={<Button kind="primary" autofocus onClick={onClose}>{texts().close}</Button>}
    >
      <ul class="refusals">
        {refused.map(({ id, message }) => (
          <li key={id}>
            <span class="strong">{nameOf(id) ?? id}</span>
            <span class="muted">{message ?? said.gone}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
