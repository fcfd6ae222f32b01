// The secret of a webhook, shown this once, and how a delivery is verified by it.
import { Button } from "../../parts/button.tsx";
import { Code, CodeBlock } from "../../parts/code.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { texts } from "./texts.ts";

const EXAMPLE = `import { Webhook } from "standardwebhooks";

const verifier = new Webhook(process.env.WEBHOOK_SECRET);
const event = verifier.verify(body, headers);`;

export function Secret(
  { secret, onClose }: { readonly secret: string | null; readonly onClose: () => void },
) {
  const said = texts();
  return (
    <Dialog
      title={said.secretTitle}
      text={said.secretText}
      open={secret !== null}
      once
      onClose={onClose}
      footer={<Button kind="primary" onClick={onClose}>{said.done}</Button>}
    >
      <div class="stack">
        <Code text={secret ?? ""} label={said.secretTitle} />
        <h3>{said.example}</h3>
        <CodeBlock text={EXAMPLE} />
      </div>
    </Dialog>
  );
}
