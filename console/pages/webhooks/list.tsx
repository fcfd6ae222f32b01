// The webhooks: which addresses are told of what, and how that goes.
import { useMemo, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { listWebhooks, type Webhook } from "../../../client/mod.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { listed, ListPage, loadList } from "../../parts/list_page.tsx";
import type { Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useListState } from "../../state/address.ts";
import { useQuery } from "../../state/query.ts";
import { can } from "../../state/session.ts";
import { Secret } from "./secret.tsx";
import { WebhookForm } from "./form.tsx";
import { texts } from "./texts.ts";

export default function WebhooksPage() {
  const said = texts();
  const { route } = useLocation();
  const state = useListState({ sort: "-createdAt" });
  const [creating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const hooks = useQuery(
    ["webhooks", state.query, state.limit],
    (signal) => loadList(state, (query) => listWebhooks({ query, signal })),
  );
  const columns = useMemo(columnsOf, [said]);
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
        onOpen={({ id }) => route(`/webhooks/${id}`)}
        create={create}
        empty={{ icon: "webhook", title: said.none, text: said.noneText }}
      />
      {creating && (
        <WebhookForm
          onClose={() => setCreating(false)}
          onCreated={({ secret }) => setSecret(secret)}
        />
      )}
      <Secret secret={secret} onClose={() => setSecret(null)} />
    </>
  );
}

type State = "active" | "paused" | "failing" | "disabled";

const TONES: Readonly<Record<State, Tone>> = {
  active: "good",
  paused: "neutral",
  failing: "warn",
  disabled: "bad",
};

function stateOf({ active, failingSince, disabledAt }: Webhook): State {
  if (disabledAt) return "disabled";
  if (!active) return "paused";
  return failingSince ? "failing" : "active";
}

export function WebhookState({ hook }: { readonly hook: Webhook }) {
  const state = stateOf(hook);
  return <Badge tone={TONES[state]} dot>{texts().states[state]}</Badge>;
}

function columnsOf(): Column<Webhook>[] {
  const said = texts();
  return [
    {
      id: "url",
      title: said.address,
      render: ({ url, description }) => (
        <span class="setting">
          <span class="cut mono">{url}</span>
          {description && <span class="muted small cut">{description}</span>}
        </span>
      ),
      csv: ({ url }) => url,
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
