// The audit log: filtered, looked into, exported, and the checkpoint by which it can be proven.
import { useMemo, useState } from "preact/hooks";
import { type AuditEntry, exportAuditLog, listAuditEntries } from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { download } from "../../parts/csv.ts";
import { type Filter, listed, ListPage, loadList } from "../../parts/list_page.tsx";
import type { Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useListState } from "../../state/address.ts";
import { findPeople } from "../../state/people.ts";
import { useQuery } from "../../state/query.ts";
import { toast } from "../../state/toasts.ts";
import { tried } from "../../state/use_busy.ts";
import { Action } from "./action.tsx";
import { Chain } from "./chain.tsx";
import { Entry } from "./entry.tsx";
import { texts } from "./texts.ts";
import { Actor, Address, Target } from "./words.tsx";

const FILTERS = ["actorId", "action", "target", "targetId", "ip", "createdAt_gte", "createdAt_lte"];

export default function AuditPage() {
  const said = texts();
  const state = useListState({ sort: "-createdAt", filters: FILTERS, limit: 50 });
  const [shown, show] = useState<AuditEntry | null>(null);
  const [chain, setChain] = useState(false);
  const entries = useQuery(
    ["audit", state.query, state.limit],
    (signal) => loadList(state, (query) => listAuditEntries({ query, signal })),
  );
  const columns = useMemo(columnsOf, [said]);
  const filters = useMemo(filtersOf, [said]);
  const exportAll = () =>
    tried(async () => {
      const { page: _, limit: __, ...query } = state.query;
      const csv = await exportAuditLog({ query: query as never, parseAs: "blob" });
      download("audit.csv", csv as unknown as Blob);
      toast({ text: said.exported, kind: "info" });
    });
  return (
    <>
      <ListPage<AuditEntry>
        {...listed(entries)}
        list="audit"
        title={said.title}
        text={said.text}
        state={state}
        columns={columns}
        filters={filters}
        rowId={({ id }) => id}
        rowName={({ targetName }) => targetName}
        onOpen={show}
        empty={{ icon: "audit", title: said.none, text: said.noneText }}
        actions={<Button icon="link" onClick={() => setChain(true)}>{said.chain}</Button>}
        moreActions={[{ label: said.export, icon: "download", run: exportAll }]}
      />
      <Entry entry={shown} onClose={() => show(null)} />
      <Chain open={chain} onClose={() => setChain(false)} />
    </>
  );
}

function columnsOf(): Column<AuditEntry>[] {
  const said = texts();
  return [
    {
      id: "time",
      title: said.time,
      sortable: "createdAt",
      width: "13rem",
      render: ({ time }) => <Time at={time} style="dateTime" />,
      csv: ({ time }) => time,
    },
    {
      id: "actor",
      title: said.actor,
      width: "13rem",
      render: ({ actor }) => <Actor actor={actor} />,
    },
    {
      id: "action",
      title: said.action,
      width: "9rem",
      render: ({ action }) => <Action action={action} />,
    },
    {
      id: "target",
      title: said.target,
      render: ({ targetName, target }) => <Target target={target} targetName={targetName} />,
    },
    { id: "ip", title: said.ip, width: "9rem", render: ({ ip }) => <Address ip={ip} /> },
  ];
}

function filtersOf(): Filter[] {
  const said = texts();
  return [
    { id: "actorId", label: said.actor, kind: "person", load: findPeople() },
    {
      id: "action",
      label: said.action,
      kind: "choice",
      options: Object.entries(said.actions).map(([value, label]) => ({ value, label })),
    },
    {
      id: "target",
      label: said.kind,
      kind: "choice",
      options: Object.entries(said.kinds).map(([value, label]) => ({ value, label })),
    },
    { id: "targetId", label: said.recordId, kind: "text" },
    { id: "ip", label: said.ip, kind: "text" },
    { id: "createdAt_gte", label: said.from, kind: "date" },
    { id: "createdAt_lte", label: said.to, kind: "date" },
  ];
}
