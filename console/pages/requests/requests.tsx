// The requests that the server answers, live.
import { useMemo, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import type { RequestReport } from "../../../client/mod.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Code } from "../../parts/code.tsx";
import { Drawer } from "../../parts/drawer.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Select } from "../../parts/field.tsx";
import { Page } from "../../parts/page.tsx";
import { NothingMatches } from "../../parts/nothing_matches.tsx";
import { Notice } from "../../parts/problem.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useParameter } from "../../state/address.ts";
import { duration, number } from "../../state/format.ts";
import { texts } from "./texts.ts";
import { useRequestLog } from "./use_request_log.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

export default function RequestsPage() {
  const said = texts();
  const [method, setMethod] = useParameter("method");
  const [status, setStatus] = useParameter("status");
  const [shown, show] = useState<RequestReport | null>(null);
  const { path, route } = useLocation();
  const log = useRequestLog();
  const columns = useMemo(columnsOf, [said]);
  const rows = useMemo(
    () =>
      log.rows.filter((row) =>
        (method === "" || row.method === method) &&
        (status === "" || String(row.status).startsWith(status))
      ),
    [log.rows, method, status],
  );
  return (
    <Page
      title={said.title}
      text={said.text}
      actions={
        <>
          <Button icon="x" onClick={log.clear}>{said.clear}</Button>
          <Button
            kind="primary"
            icon={log.following ? "pause" : "play"}
            onClick={log.following ? log.pause : log.follow}
          >
            {log.following ? said.pause : said.follow}
          </Button>
        </>
      }
    >
      <div class="toolbar">
        <Select
          label={said.method}
          hideLabel
          value={method}
          onChange={setMethod}
          options={[
            { value: "", label: said.anyMethod },
            ...METHODS.map((value) => ({ value, label: value })),
          ]}
        />
        <Select
          label={said.status}
          hideLabel
          value={status}
          onChange={setStatus}
          options={[
            { value: "", label: said.anyStatus },
            ...Object.entries(said.statuses).map(([value, label]) => ({ value, label })),
          ]}
        />
        <span class="toolbar-end muted small" role="status">
          {log.held > 0 && said.waiting(number(log.held))}
          {log.skipped > 0 && ` ${said.skipped(number(log.skipped))}`}
        </span>
      </div>
      {log.ended && <Notice tone="warning">{said.ended}</Notice>}
      <Table<RequestReport>
        label={said.title}
        columns={columns}
        rows={rows}
        rowId={({ requestId }) => requestId}
        rowName={({ path }) => path}
        onOpen={show}
        fill
        empty={log.rows.length > 0 ? <NothingMatches onClear={() => route(path, true)} /> : (
          <Empty
            icon="log"
            title={said.none}
            text={log.following ? said.noneText : said.nonePaused}
          />
        )}
      />
      <Shown request={shown} onClose={() => show(null)} />
    </Page>
  );
}

function toneOf(status: number): Tone {
  if (status >= 500) return "bad";
  if (status >= 400) return "warn";
  return status >= 300 ? "note" : "good";
}

function columnsOf(): Column<RequestReport>[] {
  const said = texts();
  return [
    {
      id: "path",
      title: said.path,
      render: ({ method, path }) => (
        <span class="cut mono">
          <span class="muted">{method}</span> {path}
        </span>
      ),
    },
    {
      id: "status",
      title: said.status,
      width: "6rem",
      render: ({ status }) => <Badge tone={toneOf(status)}>{status}</Badge>,
    },
    {
      id: "duration",
      title: said.took,
      width: "7rem",
      align: "end",
      render: ({ duration: took }) => duration(took),
    },
    {
      id: "address",
      title: said.address,
      width: "10rem",
      render: ({ address }) => <span class="mono">{address}</span>,
    },
    {
      id: "time",
      title: said.time,
      width: "9rem",
      render: ({ time }) => <Time at={time} style="time" />,
    },
  ];
}

function Shown(
  { request, onClose }: { readonly request: RequestReport | null; readonly onClose: () => void },
) {
  const said = texts();
  const { route } = useLocation();
  if (!request) return null;
  const { userId } = request;
  const go = (path: string) => {
    onClose();
    route(path);
  };
  return (
    <Drawer
      title={`${request.method} ${request.path}`}
      open
      onClose={onClose}
      footer={userId && (
        <>
          <Button icon="audit" onClick={() => go(`/audit?actorId=${userId}`)}>{said.audit}</Button>
          <Button icon="users" onClick={() => go(`/users/${userId}`)}>{said.open}</Button>
        </>
      )}
    >
      <dl class="facts">
        <dt>{said.status}</dt>
        <dd>
          <Badge tone={toneOf(request.status)}>{request.status}</Badge>
        </dd>
        <dt>{said.time}</dt>
        <dd>
          <Time at={request.time} style="full" />
        </dd>
        <dt>{said.took}</dt>
        <dd class="number">{duration(request.duration)}</dd>
        {request.route && (
          <>
            <dt>{said.route}</dt>
            <dd class="mono">{request.route}</dd>
          </>
        )}
        <dt>{said.address}</dt>
        <dd class="mono">{request.address}</dd>
        <dt>{said.id}</dt>
        <dd>
          <Code text={request.requestId} />
        </dd>
        {userId && (
          <>
            <dt>{said.user}</dt>
            <dd>
              <Code text={userId} />
            </dd>
          </>
        )}
      </dl>
    </Drawer>
  );
}
