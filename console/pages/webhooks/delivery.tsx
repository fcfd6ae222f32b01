// One delivery of a webhook: what was told, what was tried, and sending it again.
import {
  getWebhookDelivery,
  replayWebhookDelivery,
  type WebhookDeliveryDetails,
} from "../../../client/mod.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Code, CodeBlock } from "../../parts/code.tsx";
import { Drawer } from "../../parts/drawer.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { duration } from "../../state/format.ts";
import { useMutation, useQuery } from "../../state/query.ts";
import { can } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { texts } from "./texts.ts";

type Status = WebhookDeliveryDetails["status"];

export const TONES: Readonly<Record<Status, Tone>> = {
  pending: "note",
  delivered: "good",
  failed: "bad",
};

export function Delivery(
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
          <Facts delivery={data} />
          <History delivery={data} />
        </div>
      )}
    </Drawer>
  );
}

interface Shown {
  readonly delivery: WebhookDeliveryDetails;
}

function Facts({ delivery }: Shown) {
  const said = texts();
  return (
    <dl class="facts">
      <dt>{said.id}</dt>
      <dd>
        <Code text={delivery.id} />
      </dd>
      <dt>{said.status}</dt>
      <dd>
        <Badge tone={TONES[delivery.status]}>{said.statuses[delivery.status]}</Badge>
      </dd>
      <dt>{said.at}</dt>
      <dd>
        <Time at={delivery.at} style="dateTime" />
      </dd>
      {delivery.targetId && (
        <>
          <dt>{said.record}</dt>
          <dd>
            <Code text={delivery.targetId} />
          </dd>
        </>
      )}
      {delivery.dueAt && (
        <>
          <dt>{said.due}</dt>
          <dd>
            <Time at={delivery.dueAt} />
          </dd>
        </>
      )}
    </dl>
  );
}

/** What was tried, and what was answered last. */
function History({ delivery }: Shown) {
  const said = texts();
  return (
    <>
      <h3>{said.history}</h3>
      {delivery.history.length === 0 && <p class="muted">{said.notSent}</p>}
      <ol class="stack stack-tight">
        {delivery.history.map(({ at, status, error, duration: took }) => (
          <li key={at} class="status-line">
            <Badge tone={status && status < 300 ? "good" : "bad"}>{status ?? error}</Badge>
            <Time at={at} style="dateTime" />
            <span class="muted">{duration(took)}</span>
          </li>
        ))}
      </ol>
      {delivery.response && (
        <>
          <h3>{said.response}</h3>
          <CodeBlock text={delivery.response} />
        </>
      )}
    </>
  );
}
