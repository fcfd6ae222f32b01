// Users from CSV.
import { useState } from "preact/hooks";
import { importUsers } from "../../../client/mod.ts";
import { Checkbox } from "../../parts/field.tsx";
import { ImportDialog } from "../../parts/import_dialog.tsx";
import { number } from "../../state/format.ts";
import { refresh } from "../../state/query.ts";
import { can } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { texts } from "./texts.ts";

/** What an import takes. */
const COLUMNS = [
  "name",
  "email",
  "username",
  "phone",
  "department",
  "position",
  "bio",
  "timeZone",
  "role",
  "status",
];

export function ImportUsers({ onClose }: { onClose: () => void }) {
  const said = texts().import;
  const [upsert, setUpsert] = useState(false);
  const [invite, setInvite] = useState(false);
  return (
    <ImportDialog
      title={said.title}
      text={said.text}
      template={{ name: "users.csv", columns: COLUMNS }}
      submit={said.submit}
      updates
      choice={JSON.stringify({ upsert, invite })}
      send={async (body, dryRun) => {
        const ways = {
          ...(upsert ? { upsert: "email" as const } : {}),
          ...(invite ? { invite } : {}),
        };
        return (await importUsers({ body, query: { dryRun, ...ways } })).data;
      }}
      onDone={({ created, updated }) => {
        refresh("users", "dashboard");
        toast({ text: said.done(number(created), number(updated)) });
        onClose();
      }}
      onClose={onClose}
      options={
        <>
          {can("users:update") && (
            <Checkbox
              label={said.upsert}
              hint={said.upsertText}
              value={upsert}
              onChange={setUpsert}
            />
          )}
          <Checkbox label={said.invite} value={invite} onChange={setInvite} />
        </>
      }
    />
  );
}
