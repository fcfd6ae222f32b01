// The deliveries of a webhook, each with its attempts.
import { useMemo, useState } from "preact/hooks";
import {
  getWebhookDelivery,
  listWebhookDeliveries,
  replayWebhookDelivery,
  type WebhookDelivery,
} from "../../../client/mod.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Code, CodeBlock } from "../../parts/code.tsx";
import { Drawer } from "../../parts/drawer.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Select } from "../../parts/field.tsx";
import { listed, loadList } from "../../parts/list_page.tsx";
import { NothingMatches } from "../../parts/nothing_matches.tsx";
import { Pager } from "../../parts/pager.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useListState } from "../../state/address.ts";
import { duration, number } from "../../state/format.ts";
import { useMutation, useQuery } from "../../state/query.ts";
import { can } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { texts } from "./texts.ts";

type Status = WebhookDelivery["status"];

const TONES: Readonly<Record<Status, Tone>> = { pending: "note", delivered: "good", failed: "bad" };

export function Deliveries({ id }: { readonly id: string }) {
  const said = texts();
  const state = useListState({ sort: "-createdAt", filters: ["status"] });
  const [shown, show] = useState<string | null>(null);
  const query = useQuery(
    ["webhookDeliveries", id, state.query, state.limit],
    (signal) => loadList(state, (query) => listWebhookDeliveries({ path: { id }, query, signal })),
    // Deliveries are no events themselves.
    { every: 5000 },
  );
  const columns = useMemo(columnsOf, [said]);
  const { rows, total, ...rest } = listed(query);
  return (
    <Card
      title={said.deliveries}
      flush
      actions={
        <Select
          label={said.status}
          hideLabel
          size="s"
          value={state.filters.status ?? ""}
          options={[
            { value: "", label: said.whichOnes.all },
            ...Object.entries(said.statuses).map(([value, label]) => ({ value, label })),
          ]}
          onChange={(status) => state.set({ filters: { status } })}
        />
      }
    >
      <Table<WebhookDelivery>
        {...rest}
        rows={rows}
        total={total}
        label={said.deliveries}
        columns={columns}
        rowId={(one) => one.id}
        rowName={({ type }) => type}
        sort={state.sort}
        onSort={(sort) => state.set({ sort })}
        page={state.page}
        limit={state.limit}
        onPage={(page) => state.set({ page })}
        onOpen={(one) => show(one.id)}
        loading={rest.loading && rows === undefined}
        empty={state.filters.status
          ? <NothingMatches onClear={() => state.set({ filters: { status: undefined } })} />
          : (
            <Empty
              icon="send"
              title={said.noDeliveries}
              text={can("webhooks:update") && said.noDeliveriesText}
            />
          )}
        footer={
          <Pager
            page={state.page}
            limit={state.limit}
            total={rows === undefined ? undefined : total}
            onPage={(page) => state.set({ page })}
            onLimit={(limit) => state.set({ limit })}
          />
        }
      />
      {shown !== null && <Delivery hookId={id} id={shown} onClose={() => show(null)} />}
    </Card>
  );
}

function columnsOf(): Column<WebhookDelivery>[] {
  const said = texts();
  return [
    { id: "type", title: said.event, render: ({ type }) => <span class="mono">{type}</span> },
    {
      id: "status",
      title: said.status,
      width: "8rem",
      render: ({ status }) => <Badge tone={TONES[status]}>{said.statuses[status]}</Badge>,
    },
    {
      id: "attempts",
      title: said.attempts,
      width: "7rem",
      align: "end",
      render: ({ attempts }) => number(attempts),
    },
    {
      id: "answer",
      title: said.answer,
      width: "14rem",
      render: ({ last }) => <span class="cut muted">{last?.status ?? last?.error}</span>,
    },
    {
      id: "createdAt",
      title: said.at,
      sortable: true,
      width: "10rem",
      render: ({ at }) => <Time at={at} />,
    },
  ];
}

function Delivery(
  { hookId, id, onClose }: {
    readonly hookId: string;
    readonly id: string;
    readonly onClose: () => void;
  },
) {
  const said = texts();
  const path = { id: hookId, deliveryId: id };
  const { data, error, refetch } = useQuery(
    ["webhookDeliveries", hookId, "one", id],
    async (signal) => (await getWebhookDelivery({ path, signal })).data,
    { keep: false },
  );
  const again = useMutation(() => replayWebhookDelivery({ path }), ["webhookDeliveries"]);
  const send = async () => {
    try {
      await again.run();
      toast({ text: said.sentAgain, kind: "info" });
    } catch (error) {
      toast({ kind: "error", text: (error as Error).message });
    }
  };
  return (
    <Drawer
      title={data?.type ?? said.delivery}
      open
      onClose={onClose}
      footer={can("webhooks:update") && (
        <Button
          kind="primary"
          icon="refresh"
          busy={again.busy}
          onClick={() => void send()}
        >
          {said.again}
        </Button>
      )}
    >
      {error && <Problem error={error} retry={refetch} compact />}
      {!data && !error && <Skeleton rows={6} />}
      {data && (
        <div class="stack">
          <dl class="facts">
            <dt>{said.id}</dt>
            <dd>
              <Code text={data.id} />
            </dd>
            <dt>{said.status}</dt>
            <dd>
              <Badge tone={TONES[data.status]}>{said.statuses[data.status]}</Badge>
            </dd>
            <dt>{said.at}</dt>
            <dd>
              <Time at={data.at} style="dateTime" />
            </dd>
            {data.targetId && (
              <>
                <dt>{said.record}</dt>
                <dd>
                  <Code text={data.targetId} />
                </dd>
              </>
            )}
            {data.dueAt && (
              <>
                <dt>{said.due}</dt>
                <dd>
                  <Time at={data.dueAt} />
                </dd>
              </>
            )}
          </dl>
          <h3>{said.history}</h3>
          {data.history.length === 0 && <p class="muted">{said.notSent}</p>}
          <ol class="stack stack-tight">
            {data.history.map(({ at, status, error, duration: took }) => (
              <li key={at} class="status-line">
                <Badge tone={status && status < 300 ? "good" : "bad"}>{status ?? error}</Badge>
                <Time at={at} style="dateTime" />
                <span class="muted">{duration(took)}</span>
              </li>
            ))}
          </ol>
          {data.response && (
            <>
              <h3>{said.response}</h3>
              <CodeBlock text={data.response} />
            </>
          )}
        </div>
      )}
    </Drawer>
  );
}
