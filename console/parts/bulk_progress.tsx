// How far what is done with many records is, over whichever page it was begun on.
import { far } from "../state/batches.ts";
import { Dialog } from "./dialog.tsx";
import { Progress } from "./progress.tsx";
import { texts } from "./texts.ts";

export function BulkProgress() {
  if (far.value === null) return null;
  const { working } = texts().bulk;
  return (
    <Dialog open size="s" title={working} onClose={() => {}}>
      <Progress label={working} shown value={far.value} />
    </Dialog>
  );
}
