// The backups there are; making one, downloading and deleting.
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
import { confirm } from "../../parts/dialog.tsx";
import { Empty } from "../../parts/empty.tsx";
import type { Action } from "../../parts/menu.tsx";
import { Page } from "../../parts/page.tsx";
import { Notice } from "../../parts/problem.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { duration, fileSize, listed, number } from "../../state/format.ts";
import { useMutation, useQuery } from "../../state/query.ts";
import { can } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { texts } from "./texts.ts";

/** Milliseconds between two looks while one is being made, and otherwise. */
const SOON = 1000;
const LATER = 30_000;
/** Far above what is kept. */
const MOST = 100;

export default function BackupsPage() {
  const said = texts();
  const [running, setRunning] = useState(false);
  const { data, error, refetch } = useQuery(
    ["backups"],
    (signal) => listBackups({ query: { limit: MOST }, signal }),
    { every: running ? SOON : LATER },
  );
  useEffect(() => {
    setRunning(data?.data.some(({ state }) => state === "running") ?? false);
  }, [data]);
  const make = useMutation(() => createBackup(), ["backups"]);
  const columns = useMemo(columnsOf, [said]);
  const begin = () =>
    told(async () => {
      await make.run();
      toast({ text: said.begun, kind: "info" });
    });
  const possible = data?.status?.possible !== false;
  return (
    <Page
      title={said.title}
      text={said.text}
      actions={can("backups:create") && (
        <Button
          kind="primary"
          icon="backup"
          busy={make.busy || running}
          disabled={!possible}
          onClick={() => void begin()}
        >
          {said.make}
        </Button>
      )}
    >
      {data?.status && <Schedule status={data.status} />}
      <Table<Backup>
        label={said.title}
        columns={columns}
        rows={data?.data}
        rowId={({ id }) => id}
        rowActions={actionsOf}
        error={error ?? undefined}
        retry={refetch}
        empty={<Empty icon="backup" title={said.none} text={said.noneText} />}
      />
    </Page>
  );
}

function Schedule({ status }: { readonly status: BackupStatus }) {
  const said = texts();
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

function columnsOf(): Column<Backup>[] {
  const said = texts();
  return [
    {
      id: "createdAt",
      title: said.moment,
      width: "14rem",
      render: ({ createdAt }) => <Time at={createdAt} style="dateTime" />,
    },
    {
      id: "state",
      title: said.state,
      width: "12rem",
      render: ({ state, step, problem }) => (
        <span class="setting">
          <Badge tone={TONES[state]}>{step ? said.steps[step] : said.states[state]}</Badge>
          {problem && <span class="muted small">{problem}</span>}
        </span>
      ),
    },
    {
      id: "size",
      title: said.size,
      width: "8rem",
      align: "end",
      render: ({ size }) => fileSize(size),
    },
    {
      id: "records",
      title: said.records,
      width: "8rem",
      align: "end",
      render: ({ counts }) =>
        counts ? number(Object.values(counts).reduce((sum, count) => sum + count, 0)) : "–",
    },
    {
      id: "places",
      title: said.places,
      width: "10rem",
      render: ({ places }) => listed(places.map((place) => said.placeNames[place])),
    },
    {
      id: "source",
      title: said.source,
      render: ({ source }) => <span class="cut muted">{source}</span>,
    },
  ];
}

function actionsOf({ id, state }: Backup): Action[] {
  const said = texts();
  const actions: Action[] = [];
  if (state === "done") {
    actions.push({
      label: said.download,
      icon: "download",
      run: () =>
        told(async () => {
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
      run: () => told(() => remove(id)),
    });
  }
  return actions;
}

async function remove(id: string): Promise<void> {
  const said = texts();
  const question = { title: said.deleteTitle, text: said.deleteText, action: said.delete };
  if (!await confirm({ ...question, danger: true })) return;
  await deleteBackup({ path: { id } });
  toast({ text: said.deleted });
}

/** Says what went wrong, where nothing else on the page does. */
async function told(run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    toast({ kind: "error", text: (error as Error).message });
  }
}
