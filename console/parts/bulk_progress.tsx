// How far what is done with many records is, over whichever page it was begun on; and what stops it.
import { far, stopping } from "../state/batches.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Progress } from "./progress.tsx";
import { texts } from "./texts.ts";

export function BulkProgress() {
  if (far.value === null) return null;
  const { working, stop } = texts().bulk;
  const end = () => void (stopping.value = true);
  return (
    <Dialog
      open
      size="s"
      title={working}
      onClose={end}
      footer={<Button autofocus busy={stopping.value} onClick={end}>{stop}</Button>}
    >
      <Progress label={working} shown value={far.value} />
    </Dialog>
  );
}
