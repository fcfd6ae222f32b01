// The webhooks: which addresses are told of what, and how that goes.
import { useSignal } from "@preact/signals";
import { useMemo, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { listWebhooks, type Webhook } from "../../../client/mod.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { type Filter, listed, ListPage, loadList } from "../../parts/list_page.tsx";
import type { Action } from "../../parts/menu.tsx";
import { NOTHING, type Selection } from "../../parts/selection.ts";
import type { Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { type BulkDeed, useBulkDeeds } from "../../parts/use_bulk_deeds.tsx";
import { useListState } from "../../state/address.ts";
import { useQuery } from "../../state/query.ts";
import { can } from "../../state/session.ts";
import { activateMany, deleteMany } from "./bulk.ts";
import { CreateWebhook } from "./form.tsx";
import { Secret } from "./secret.tsx";
import { texts } from "./texts.ts";

const FILTERS = ["state", "createdAt_gte", "createdAt_lte"];

export default function WebhooksPage() {
  const said = texts();
  const { route } = useLocation();
  const state = useListState({ sort: "-createdAt", filters: FILTERS });
  const [creating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const hooks = useQuery(
    ["webhooks", state.query, state.limit],
    (signal) => loadList(state, (query) => listWebhooks({ query, signal })),
  );
  const columns = useMemo(columnsOf, [said]);
  const filters = useMemo(filtersOf, [said]);
  const selection = useSignal<Selection>(NOTHING);
  const deeds = useBulkDeeds(
    selection,
    (id) => hooks.data?.rows.find((hook) => hook.id === id)?.url,
  );
  const changes = can("webhooks:update", "webhooks:delete");
  const create = can("webhooks:create")
    ? { label: said.create, run: () => setCreating(true) }
    : undefined;
  return (
    <>
      <ListPage<Webhook>
        {...listed(hooks)}
        list="webhooks"
        title={said.title}
        text={said.text}
        state={state}
        columns={columns}
        rowId={({ id }) => id}
        rowName={({ url }) => url}
        selection={changes ? selection : undefined}
        bulkActions={changes ? (ids) => bulkActions(ids, deeds.carryOut) : undefined}
        filters={filters}
        search={said.search}
        exporting={{ name: "webhooks", read: (query) => listWebhooks({ query }) }}
        onOpen={({ id }) => route(`/webhooks/${id}`)}
        create={create}
        empty={{ icon: "webhook", title: said.none, text: create && said.noneText }}
      />
      {creating && (
        <CreateWebhook
          onClose={() => setCreating(false)}
          onCreated={({ secret }) => setSecret(secret)}
        />
      )}
      {deeds.dialogs}
      <Secret secret={secret} onClose={() => setSecret(null)} />
    </>
  );
}

function bulkActions(
  ids: readonly string[],
  carryOut: (deed: BulkDeed, ids: readonly string[]) => unknown,
): readonly Action[] {
  const said = texts();
  const run = (deed: Omit<BulkDeed, "touches">) => () =>
    carryOut({ ...deed, touches: ["webhooks"] }, ids);
  const actions: Action[] = [];
  if (can("webhooks:update")) {
    actions.push(
      {
        label: said.pause,
        icon: "pause",
        run: run({ bulk: activateMany(false), told: said.bulk.paused }),
      },
      {
        label: said.resume,
        icon: "play",
        run: run({ bulk: activateMany(true), told: said.bulk.resumed }),
      },
    );
  }
  if (can("webhooks:delete")) {
    const title = said.bulk.deleteTitle(ids.length);
    const question = { title, text: said.deleteText, action: said.delete, danger: true };
    actions.push({
      label: said.delete,
      icon: "trash",
      danger: true,
      run: run({ bulk: deleteMany, question, told: said.bulk.deleted }),
    });
  }
  return actions;
}

function filtersOf(): readonly Filter[] {
  const said = texts();
  const states = Object.entries(said.states).map(([value, label]) => ({ value, label }));
  return [
    { id: "state", label: said.state, kind: "choice", options: states },
    { id: "createdAt_gte", label: said.madeFrom, kind: "date" },
    { id: "createdAt_lte", label: said.madeTo, kind: "date" },
  ];
}

const TONES: Readonly<Record<Webhook["state"], Tone>> = {
  active: "good",
  paused: "neutral",
  failing: "warn",
  disabled: "bad",
};

export function WebhookState({ hook: { state } }: { readonly hook: Webhook }) {
  return <Badge tone={TONES[state]} dot>{texts().states[state]}</Badge>;
}

function columnsOf(): Column<Webhook>[] {
  const said = texts();
  return [
    {
      id: "url",
      title: said.address,
      render: ({ url }) => <span class="cut mono">{url}</span>,
      csv: ({ url }) => url,
    },
    {
      id: "description",
      title: said.description,
      width: "13rem",
      render: ({ description }) => <span class="cut muted">{description}</span>,
      csv: ({ description }) => description,
    },
    {
      id: "events",
      title: said.events,
      width: "16rem",
      render: ({ events }) => (
        <span class="cut muted">{events.includes("*") ? said.all : events.join(", ")}</span>
      ),
      csv: ({ events }) => events.join(" "),
    },
    {
      id: "state",
      title: said.state,
      width: "8rem",
      render: (hook) => <WebhookState hook={hook} />,
      csv: ({ state }) => said.states[state],
    },
    {
      id: "createdAt",
      title: said.made,
      sortable: true,
      width: "9rem",
      render: ({ createdAt }) => <Time at={createdAt} />,
      csv: ({ createdAt }) => createdAt,
    },
  ];
}
