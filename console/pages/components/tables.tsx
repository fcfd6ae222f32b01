// A table in each of its states, and one that is very long.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import { ApiError } from "../../../client/mod.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { Card } from "../../parts/card.tsx";
import { Empty } from "../../parts/empty.tsx";
import { RadioGroup } from "../../parts/field.tsx";
import type { Action } from "../../parts/menu.tsx";
import { Pager } from "../../parts/pager.tsx";
import { Person } from "../../parts/person.tsx";
import { NOTHING, type Selection } from "../../parts/selection.ts";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { language } from "../../state/language.ts";
import { number } from "../../state/format.ts";
import { toast } from "../../state/toasts.ts";
import { type Sample, samples } from "./samples.ts";
import { texts } from "./texts.ts";

const TONES: Readonly<Record<Sample["status"], Tone>> = {
  active: "good",
  invited: "warn",
  suspended: "bad",
};
const ROWS = 47;
const LONG = 10_000;

function columns(): Column<Sample>[] {
  const said = texts();
  return [
    {
      id: "name",
      title: said.person,
      sortable: true,
      width: "18rem",
      render: ({ name, email }) => <Person name={name} detail={email} />,
    },
    {
      id: "status",
      title: said.status,
      sortable: true,
      width: "9rem",
      render: ({ status }) => <Badge dot tone={TONES[status]}>{said[status]}</Badge>,
    },
    { id: "role", title: said.role, render: ({ role }) => said.roles[role] },
    {
      id: "documents",
      title: said.documents,
      sortable: true,
      align: "end",
      width: "8rem",
      render: ({ documents }) => number(documents),
    },
    {
      id: "joinedAt",
      title: said.joined,
      sortable: true,
      width: "10rem",
      render: ({ joinedAt }) => <Time at={joinedAt} style="date" />,
    },
  ];
}

function sorted(rows: readonly Sample[], sort: string): readonly Sample[] {
  const field = sort.replace("-", "") as keyof Sample;
  const turn = sort.startsWith("-") ? -1 : 1;
  return rows.toSorted((a, b) => (a[field] < b[field] ? -1 : a[field] > b[field] ? 1 : 0) * turn);
}

function rowActions(row: Sample): Action[] {
  const said = texts();
  return [
    {
      label: said.open,
      icon: "external",
      run: () => toast({ kind: "info", text: said.opened(row.name) }),
    },
    { label: said.sendMessage, icon: "messages" },
    { label: said.danger, icon: "trash", danger: true, parted: true },
  ];
}

type Shown = "ready" | "loading" | "empty" | "error";

export function SampleTable() {
  const said = texts();
  const [all, setAll] = useState(() => samples(ROWS));
  const [shown, setShown] = useState<Shown>("ready");
  const [sort, setSort] = useState("name");
  const [page, setPage] = useState(1);
  const [limit, setLimit] = useState<number | "all">(25);
  const selection = useSignal<Selection>(NOTHING);
  const shape = useMemo(columns, [language.value]);
  const ordered = useMemo(() => sorted(all, sort), [all, sort]);
  const size = limit === "all" ? all.length : limit;
  const rows = useMemo(() => ordered.slice((page - 1) * size, page * size), [ordered, page, size]);
  const states: readonly { value: Shown; label: string }[] = [
    { value: "ready", label: said.showReady },
    { value: "loading", label: said.showLoading },
    { value: "empty", label: said.showEmpty },
    { value: "error", label: said.showError },
  ];
  const remove = (ids: readonly string[]) => {
    setAll(all.filter(({ id }) => !ids.includes(id)));
    selection.value = NOTHING;
    toast({
      text: said.deleted(number(ids.length)),
      action: { label: said.undo, run: () => setAll(all) },
    });
  };
  return (
    <Card
      id="table"
      title={said.table}
      flush
      actions={
        <RadioGroup
          label={said.state}
          hideLabel
          segmented
          value={shown}
          options={states}
          onChange={setShown}
        />
      }
    >
      <Table
        label={said.table}
        columns={shape}
        rows={shown === "ready" ? rows : shown === "empty" ? [] : undefined}
        rowId={({ id }) => id}
        rowName={({ name }) => name}
        sort={sort}
        onSort={setSort}
        selection={selection}
        onOpen={({ name }) => toast({ kind: "info", text: said.opened(name) })}
        rowActions={rowActions}
        bulkActions={(ids) => [
          { label: said.invite, icon: "send", run: () => toast({ text: said.saved }) },
          { label: said.deactivate, icon: "lock", run: () => toast({ text: said.saved }) },
          { label: said.danger, icon: "trash", danger: true, run: () => remove(ids) },
        ]}
        empty={<Empty icon="users" title={said.emptyTable} />}
        error={shown === "error"
          ? new ApiError(said.problemMessage, 500, "INTERNAL", [], "01J9X3QW5MZ8")
          : undefined}
        retry={() => setShown("ready")}
        total={all.length}
        page={page}
        limit={limit}
        onPage={setPage}
        footer={
          <Pager page={page} limit={limit} total={all.length} onPage={setPage} onLimit={setLimit} />
        }
      />
    </Card>
  );
}

export function LongTable() {
  const said = texts();
  const [rows, setRows] = useState<readonly Sample[]>();
  // After a while, as from a server.
  useEffect(() => {
    const timer = setTimeout(() => setRows(samples(LONG)), 200);
    return () => clearTimeout(timer);
  }, []);
  const shape = useMemo(columns, [language.value]);
  const selection = useSignal<Selection>(NOTHING);
  return (
    <Card id="long-table" title={said.longTable} flush>
      <div class="sample-long">
        <Table
          label={said.longTable}
          columns={shape}
          rows={rows}
          rowId={({ id }) => id}
          rowName={({ name }) => name}
          selection={selection}
          rowActions={rowActions}
        />
      </div>
    </Card>
  );
}
