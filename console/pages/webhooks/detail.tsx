// One webhook: what it is told, how that goes, and each delivery.
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import {
  deleteWebhook,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
  type Webhook,
} from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import type { Versioned } from "../../parts/conflict.tsx";
import { confirm } from "../../parts/dialog.tsx";
import type { Action } from "../../parts/menu.tsx";
import { MoreMenu } from "../../parts/more_menu.tsx";
import { Page } from "../../parts/page.tsx";
import { Notice, Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { useMutation, useQuery } from "../../state/query.ts";
import { can } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { Deliveries } from "./deliveries.tsx";
import { EditWebhook, readWebhook } from "./form.tsx";
import { WebhookState } from "./list.tsx";
import { Replay } from "./replay.tsx";
import { Secret } from "./secret.tsx";
import { texts } from "./texts.ts";

export default function WebhookPage(
  { params }: { readonly params: Readonly<Record<string, string>> },
) {
  const said = texts();
  const id = params.id!;
  const { data, error, refetch } = useQuery(
    ["webhooks", "one", id],
    (signal) => readWebhook(id, signal),
    { keep: false },
  );
  const back = { label: said.title, href: "/webhooks" };
  if (error) {
    return (
      <Page title={said.title} back={back}>
        <Problem error={error} retry={refetch} />
      </Page>
    );
  }
  if (!data) {
    return (
      <Page title={said.title} back={back}>
        <Skeleton rows={6} />
      </Page>
    );
  }
  return <Shown record={data} />;
}

function Shown({ record }: { readonly record: Versioned<Webhook> }) {
  const said = texts();
  const hook = record.data;
  const { id } = hook;
  const [editing, setEditing] = useState<Versioned<Webhook> | null>(null);
  const [replaying, setReplaying] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const test = useMutation(() => testWebhook({ path: { id } }), ["webhooks", "webhookDeliveries"]);
  const send = async () => {
    await test.run();
    toast({ text: said.tested, kind: "info" });
  };
  return (
    <Page
      title={new URL(hook.url).host}
      text={<span class="mono">{hook.url}</span>}
      mark={<WebhookState hook={hook} />}
      back={{ label: said.title, href: "/webhooks" }}
      actions={can("webhooks:update", "webhooks:delete") && (
        <>
          {can("webhooks:update") && (
            <>
              <Button icon="send" busy={test.busy} onClick={() => void guarded(send)}>
                {said.test}
              </Button>
              <Button icon="edit" onClick={() => setEditing(record)}>{said.edit}</Button>
            </>
          )}
          <More hook={hook} onSecret={setSecret} onReplay={() => setReplaying(true)} />
        </>
      )}
    >
      <Trouble hook={hook} />
      <Deliveries id={id} />
      {editing && <EditWebhook record={editing} onClose={() => setEditing(null)} />}
      {replaying && <Replay id={id} onClose={() => setReplaying(false)} />}
      <Secret secret={secret} onClose={() => setSecret(null)} />
    </Page>
  );
}

/** Says what went wrong, where nothing else on the page does. */
async function guarded(run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    toast({ kind: "error", text: (error as Error).message });
  }
}

function More(
  { hook, onSecret, onReplay }: {
    readonly hook: Webhook;
    readonly onSecret: (secret: string) => void;
    readonly onReplay: () => void;
  },
) {
  const said = texts();
  const { route } = useLocation();
  const { id, active } = hook;
  const change = useMutation(
    (body: { active: boolean }) => updateWebhook({ path: { id }, body }),
    ["webhooks"],
  );
  const rotate = async () => {
    const yes = await confirm({
      title: said.rotateTitle,
      text: said.rotateText,
      action: said.rotate,
    });
    if (yes) onSecret((await rotateWebhookSecret({ path: { id } })).data.secret);
  };
  const remove = async () => {
    const question = {
      title: said.deleteTitle,
      text: said.deleteText,
      action: said.delete,
      danger: true,
    };
    if (!await confirm(question)) return;
    await deleteWebhook({ path: { id } });
    toast({ text: said.deleted });
    route("/webhooks");
  };
  const items: Action[] = [];
  if (can("webhooks:update")) {
    items.push(
      {
        label: active ? said.pause : said.resume,
        icon: active ? "pause" : "play",
        run: () => guarded(() => change.run({ active: !active })),
      },
      { label: said.replay, icon: "history", run: onReplay },
      { label: said.rotate, icon: "key", run: () => guarded(rotate) },
    );
  }
  if (can("webhooks:delete")) {
    items.push({
      label: said.delete,
      icon: "trash",
      danger: true,
      parted: true,
      run: () => guarded(remove),
    });
  }
  return <MoreMenu items={items} />;
}

function Trouble({ hook }: { readonly hook: Webhook }) {
  const said = texts();
  if (hook.disabledAt) {
    return (
      <Notice tone="error">
        {said.reasons[hook.disabledReason ?? ""] ?? said.states.disabled}
      </Notice>
    );
  }
  if (!hook.failingSince) return null;
  return (
    <Notice tone="warning">
      {said.failingSince} <Time at={hook.failingSince} />
    </Notice>
  );
}
