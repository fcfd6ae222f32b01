// What is asked before many users are changed, how far it is, and whom the server left as they are.
import { useState } from "preact/hooks";
import type { User } from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Select } from "../../parts/field.tsx";
import { Notice } from "../../parts/problem.tsx";
import { Progress } from "../../parts/progress.tsx";
import { Refusals } from "../../parts/refusals.tsx";
import { texts as common } from "../../parts/texts.ts";
import { useRoleChoices } from "../../state/roles.ts";
import { changeMany, deleteMany } from "./bulk.ts";
import { type Status, statusChoices } from "./statuses.tsx";
import { texts } from "./texts.ts";
import { useBulkRun } from "./use_bulk_run.ts";

/** What many users are to become. */
export type BulkAct =
  | { readonly kind: "role" }
  /** Without a status it is asked for. */
  | { readonly kind: "status"; readonly status?: Status }
  | { readonly kind: "delete" };

interface BulkDialogProps {
  act: BulkAct;
  ids: readonly string[];
  /** The users, as far as the list has them. */
  users: readonly User[];
  /** @param done Whether any were changed. */
  onClose: (done: boolean) => void;
}

export function BulkDialog({ act, ids, users, onClose }: BulkDialogProps) {
  const said = texts().bulk;
  const roles = useRoleChoices();
  const [role, setRole] = useState("user");
  const [status, setStatus] = useState<Status>("inactive");
  const danger = act.kind === "delete";
  const { seen, outcome, problem, run, stop } = useBulkRun({
    ids,
    told: danger ? said.deleted : said.changed,
    onDone: () => onClose(true),
  });
  const bulk = act.kind === "delete"
    ? deleteMany
    : changeMany(act.kind === "role" ? { role } : { status: act.status ?? status });
  const leave = () => seen === null ? onClose(false) : stop();

  if (outcome) {
    return (
      <Refusals
        title={said.refusedTitle(outcome.refused.length)}
        text={outcome.done.length > 0 ? said.refusedText : undefined}
        refused={outcome.refused}
        nameOf={(id) => users.find((user) => user.id === id)?.name}
        onClose={() => onClose(outcome.done.length > 0)}
      />
    );
  }
  return (
    <Dialog
      open
      alert={danger}
      size="s"
      title={titleOf(act, ids.length)}
      text={textOf(act)}
      onClose={leave}
      footer={
        <>
          <Button autofocus={danger} onClick={leave}>
            {seen === null ? common().cancel : common().bulk.stop}
          </Button>
          <Button
            kind={danger ? "danger" : "primary"}
            autofocus={act.kind === "status" && act.status !== undefined}
            busy={seen !== null}
            onClick={() => void run(bulk)}
          >
            {danger ? said.delete : said.apply}
          </Button>
        </>
      }
    >
      {problem !== null && <Notice tone="error">{problem}</Notice>}
      {act.kind === "role" && (
        <Select
          label={texts().fields.role}
          options={roles}
          value={role}
          autofocus
          onChange={setRole}
        />
      )}
      {act.kind === "status" && act.status === undefined && (
        <Select<Status>
          label={texts().fields.status}
          options={statusChoices()}
          value={status}
          autofocus
          onChange={setStatus}
        />
      )}
      {seen !== null && ids.length > 100 && (
        <Progress label={said.working} shown value={seen / ids.length} />
      )}
    </Dialog>
  );
}

function titleOf(act: BulkAct, count: number): string {
  const { bulk, statuses } = texts();
  if (act.kind === "delete") return bulk.deleteTitle(count);
  if (act.kind === "role") return bulk.roleTitle(count);
  if (act.status === undefined) return bulk.setStatusTitle(count);
  return bulk.statusTitle(count, statuses[act.status]);
}

function textOf(act: BulkAct): string {
  const { bulk } = texts();
  if (act.kind === "delete") return bulk.deleteText;
  return act.kind === "role" ? bulk.roleText : bulk.statusText;
}
