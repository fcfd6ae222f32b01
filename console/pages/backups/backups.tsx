// The backups there are; making one, downloading and deleting.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import {
  type Backup,
  type BackupStatus,
  createBackup,
  deleteBackup,
  downloadBackup,
  listBackups,
} from "../../../client/mod.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { download } from "../../parts/csv.ts";
import { type Filter, listed as rowsOf, ListPage, loadList } from "../../parts/list_page.tsx";
import type { Action } from "../../parts/menu.tsx";
import { Notice } from "../../parts/problem.tsx";
import { NOTHING, type Selection } from "../../parts/selection.ts";
import type { Column } from "../../parts/table.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { useBulkDeeds } from "../../parts/use_bulk_deeds.tsx";
import { useListState } from "../../state/address.ts";
import { alone } from "../../state/batches.ts";
import { date, duration, fileSize, listed, number } from "../../state/format.ts";
import { useMutation, useQuery } from "../../state/query.ts";
import { can } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { tried } from "../../state/use_busy.ts";
import { texts } from "./texts.ts";

/** Milliseconds between two looks while one is being made, and otherwise. */
const SOON = 1000;
const LATER = 30_000;

const FILTERS = ["state", "createdAt_gte", "createdAt_lte"];

const deleteMany = alone((id) => deleteBackup({ path: { id } }));

export default function BackupsPage() {
  const said = texts();
  const state = useListState({ sort: "-createdAt", filters: FILTERS });
  const [running, setRunning] = useState(false);
  const backups = useQuery(
    ["backups", state.query, state.limit],
    async (signal) => {
      let status: BackupStatus | undefined;
      const list = await loadList(state, async (query) => {
        const answer = await listBackups({ query, signal });
        status = answer.status;
        return answer;
      });
      return { ...list, status };
    },
    { every: running ? SOON : LATER },
  );
  const { rows, status } = backups.data ?? {};
  useEffect(() => {
    setRunning(rows?.some(({ state }) => state === "running") ?? false);
  }, [rows]);
  const make = useMutation(() => createBackup(), ["backups"]);
  const columns = useMemo(columnsOf, [said]);
  const filters = useMemo(filtersOf, [said]);
  const selection = useSignal<Selection>(NOTHING);
  const deeds = useBulkDeeds(selection, (id) => {
    const backup = rows?.find((one) => one.id === id);
    return backup && nameOf(backup);
  });
  const remove = (ids: readonly string[]) => {
    const title = said.deleteTitle(ids.length);
    const question = { title, text: said.deleteText, action: said.delete, danger: true };
    const deed = { bulk: deleteMany, question, told: said.deleted, touches: ["backups"] };
    return deeds.carryOut(deed, ids);
  };
  const begin = () =>
    tried(async () => {
      await make.run();
      toast({ text: said.begun, kind: "info" });
    });
  const deletes = can("backups:delete");
  return (
    <>
      <ListPage<Backup>
        {...rowsOf(backups)}
        list="backups"
        title={said.title}
        text={said.text}
        state={state}
        columns={columns}
        filters={filters}
        search={said.search}
        rowId={({ id }) => id}
        rowName={nameOf}
        rowActions={(backup) => actionsOf(backup, remove)}
        selection={deletes ? selection : undefined}
        bulkActions={deletes
          ? (ids) => [{ label: said.delete, icon: "trash", danger: true, run: () => remove(ids) }]
          : undefined}
        exporting={{ name: "backups", read: (query) => listBackups({ query }) }}
        above={<Schedule status={status} />}
        actions={can("backups:create") && (
          <Button
            kind="primary"
            icon="backup"
            busy={make.busy || running}
            disabled={status?.possible === false}
            onClick={() => void begin()}
          >
            {said.make}
          </Button>
        )}
        empty={{ icon: "backup", title: said.none, text: status && noneText(status) }}
      />
      {deeds.dialogs}
    </>
  );
}

const nameOf = ({ createdAt }: Backup) => date(createdAt, "dateTime");

function filtersOf(): readonly Filter[] {
  const said = texts();
  const states = Object.entries(said.states).map(([value, label]) => ({ value, label }));
  return [
    { id: "state", label: said.state, kind: "choice", options: states },
    { id: "createdAt_gte", label: said.madeFrom, kind: "date" },
    { id: "createdAt_lte", label: said.madeTo, kind: "date" },
  ];
}

/** How the first backup comes about, as far as the reader can do something for it. */
function noneText({ possible, every }: BackupStatus): string | undefined {
  const said = texts();
  if (!possible) return undefined;
  if (!can("backups:create")) return said.noneReadOnly;
  return every > 0 ? said.noneScheduled : said.noneText;
}

/** @param props.status Undefined as long as it is read: its place is kept. */
function Schedule({ status }: { readonly status: BackupStatus | undefined }) {
  const said = texts();
  if (!status) return <Skeleton block="1.375rem" />;
  const { possible, reason, every, keep, bucket, bucketProblem } = status;
  if (!possible) return <Notice tone="warning" title={said.impossible}>{reason}</Notice>;
  return (
    <>
      <p class="muted">
        {every > 0 ? said.by(duration(every * 1000), number(keep)) : said.byHand(number(keep))}
        {bucket && (
          <>
            · {said.bucket} <span class="mono">{bucket}</span>
          </>
        )}
      </p>
      {bucketProblem && <Notice tone="warning">{bucketProblem}</Notice>}
    </>
  );
}

const TONES: Readonly<Record<Backup["state"], Tone>> = {
  running: "accent",
  done: "good",
  failed: "bad",
};

function recordsIn(counts: NonNullable<Backup["counts"]>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function columnsOf(): Column<Backup>[] {
  const said = texts();
  return [
    {
      id: "createdAt",
      title: said.moment,
      sortable: true,
      width: "14rem",
      render: ({ createdAt }) => <Time at={createdAt} style="dateTime" />,
      csv: ({ createdAt }) => createdAt,
    },
    {
      id: "state",
      title: said.state,
      width: "12rem",
      render: ({ state, step, problem }) => {
        const badge = (
          <Badge tone={TONES[state]}>{step ? said.steps[step] : said.states[state]}</Badge>
        );
        if (!problem) return badge;
        return (
          <span class="row">
            {badge}
            <span class="muted small cut" title={problem}>{problem}</span>
          </span>
        );
      },
      csv: ({ state }) => said.states[state],
    },
    {
      id: "size",
      title: said.size,
      sortable: true,
      width: "8rem",
      align: "end",
      render: ({ size }) => fileSize(size),
      csv: ({ size }) => size,
    },
    {
      id: "records",
      title: said.records,
      width: "8rem",
      align: "end",
      render: ({ counts }) => counts ? number(recordsIn(counts)) : "–",
      csv: ({ counts }) => counts && recordsIn(counts),
    },
    {
      id: "places",
      title: said.places,
      width: "10rem",
      render: ({ places }) => listed(places.map((place) => said.placeNames[place])),
      csv: ({ places }) => places.map((place) => said.placeNames[place]).join(" "),
    },
    {
      id: "source",
      title: said.source,
      render: ({ source }) => <span class="cut muted">{source}</span>,
      csv: ({ source }) => source,
    },
  ];
}

function actionsOf(
  { id, state }: Backup,
  remove: (ids: readonly string[]) => unknown,
): Action[] {
  const said = texts();
  const actions: Action[] = [];
  if (state === "done") {
    actions.push({
      label: said.download,
      icon: "download",
      run: () =>
        tried(async () => {
          const file = await downloadBackup({ path: { id }, parseAs: "blob" });
          download(`${id}.qdbackup`, file as unknown as Blob);
        }),
    });
  }
  if (can("backups:delete") && state !== "running") {
    actions.push({
      label: said.delete,
      icon: "trash",
      danger: true,
      parted: true,
      run: () => remove([id]),
    });
  }
  return actions;
}
