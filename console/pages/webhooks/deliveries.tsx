// The deliveries of a webhook.
import { useMemo, useState } from "preact/hooks";
import { listWebhookDeliveries, type WebhookDelivery } from "../../../client/mod.ts";
import { Badge } from "../../parts/badge.tsx";
import { Card } from "../../parts/card.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Select } from "../../parts/field.tsx";
import { listed, loadList } from "../../parts/list_page.tsx";
import { NothingMatches } from "../../parts/nothing_matches.tsx";
import { Pager } from "../../parts/pager.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useListState } from "../../state/address.ts";
import { number } from "../../state/format.ts";
import { useQuery } from "../../state/query.ts";
import { can } from "../../state/session.ts";
import { Delivery, TONES } from "./delivery.tsx";
import { texts } from "./texts.ts";

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
