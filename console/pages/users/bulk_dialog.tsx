// What is asked before many users are changed, how far it is, and whom the server left as they are.
import { useRef, useState } from "preact/hooks";
import type { User } from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Select } from "../../parts/field.tsx";
import { Notice } from "../../parts/problem.tsx";
import { Progress } from "../../parts/progress.tsx";
import { Refusals } from "../../parts/refusals.tsx";
import { texts as common } from "../../parts/texts.ts";
import type { Outcome } from "../../state/batch_outcome.ts";
import type { Bulk } from "../../state/batches.ts";
import { refresh } from "../../state/query.ts";
import { useRoleChoices } from "../../state/roles.ts";
import { toast } from "../../state/toasts.ts";
import { changeMany, deleteMany } from "./bulk.ts";
import { type Status, statusChoices } from "./statuses.tsx";
import { texts } from "./texts.ts";

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
  const [seen, setSeen] = useState<number | null>(null);
  /** Whether no more is to be done than what is under way. */
  const stopped = useRef(false);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const danger = act.kind === "delete";

  const run = async () => {
    const bulk: Bulk = act.kind === "delete"
      ? deleteMany
      : changeMany(act.kind === "role" ? { role } : { status: act.status ?? status });
    setProblem(null);
    setSeen(0);
    stopped.current = false;
    try {
      const result = await bulk(ids, (count) => {
        setSeen(count);
        return !stopped.current;
      });
      const count = result.done.length;
      if (count > 0) toast({ text: danger ? said.deleted(count) : said.changed(count) });
      if (result.refused.length === 0) onClose(true);
      else setOutcome(result);
    } catch (error) {
      setProblem((error as Error).message);
    } finally {
      setSeen(null);
      refresh("users", "dashboard");
    }
  };

  const leave = () => {
    if (seen === null) onClose(false);
    else stopped.current = true;
  };

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
      text={act.kind === "delete"
        ? said.deleteText
        : act.kind === "role"
        ? said.roleText
        : said.statusText}
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
            onClick={() => void run()}
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
