// Events from CSV.
import { importEvents } from "../../../client/mod.ts";
import { ImportDialog } from "../../parts/import_dialog.tsx";
import { refresh } from "../../state/query.ts";
import { toast } from "../../state/toasts.ts";
import { texts } from "./texts.ts";

/** What an import takes. */
const COLUMNS = ["title", "start", "end", "allDay", "type", "location", "description", "color"];

interface ImportEventsProps {
  /** Of times that name none. IANA name. */
  readonly zone: string;
  readonly onClose: () => void;
}

export function ImportEvents({ zone, onClose }: ImportEventsProps) {
  const said = texts().import;
  return (
    <ImportDialog
      title={said.title}
      text={said.text(zone)}
      template={{ name: "events.csv", columns: COLUMNS }}
      submit={said.submit}
      send={async (body, dryRun) =>
        (await importEvents({ body, query: { dryRun, tz: zone } })).data}
      onDone={({ created }) => {
        refresh("events", "dashboard");
        toast({ text: said.done(created) });
        onClose();
      }}
      onClose={onClose}
    />
  );
}
