// Documents from CSV.
import { importDocuments } from "../../../client/mod.ts";
import { ImportDialog } from "../../parts/import_dialog.tsx";
import { refresh } from "../../state/query.ts";
import { toast } from "../../state/toasts.ts";
import { texts } from "./texts.ts";

/** What an import takes. */
const COLUMNS = ["title", "content", "type", "folder", "tags", "teamId"];

export function ImportDocuments({ onClose }: { readonly onClose: () => void }) {
  const said = texts().import;
  return (
    <ImportDialog
      title={said.title}
      text={said.text}
      template={{ name: "documents.csv", columns: COLUMNS }}
      submit={said.submit}
      send={async (body, dryRun) => (await importDocuments({ body, query: { dryRun } })).data}
      onDone={({ created }) => {
        refresh("documents", "dashboard");
        toast({ text: said.done(created) });
        onClose();
      }}
      onClose={onClose}
    />
  );
}
