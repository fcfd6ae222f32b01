// One's API keys.
import { useState } from "preact/hooks";
import { type ApiKey, deleteApiKey, listApiKeys } from "../../../client/mod.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { confirm, Dialog } from "../../parts/dialog.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Notice, Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { Code } from "../../parts/code.tsx";
import { permissionName } from "../../state/permission_names.ts";
import { refresh, useQuery } from "../../state/query.ts";
import { attempt } from "./attempt.ts";
import { EventTicket } from "./event_ticket.tsx";
import { KeyForm } from "./key_form.tsx";
import { AccountPage } from "./page.tsx";
import { texts } from "./texts.ts";

/** Nobody has more. */
const MOST = 50;
/** Scopes that a row names; the rest are counted. */
const NAMED = 4;

export default function Keys() {
  const { key: said, close } = texts();
  const [creating, create] = useState(false);
  const [made, show] = useState<string | null>(null);
  const { data, error, refetch } = useQuery(
    ["apiKeys"],
    async (signal) =>
      (await listApiKeys({ query: { limit: MOST, sort: "-createdAt" }, signal })).data,
  );
  const button = (
    <Button kind="primary" icon="plus" onClick={() => create(true)}>{said.create}</Button>
  );

  return (
    <AccountPage tab="keys" actions={data && data.length > 0 && button}>
      <Card title={said.title} text={said.text}>
        {data
          ? data.length > 0
            ? (
              <ul class="account-rows">
                {data.map((key) => <KeyRow key={key.id} apiKey={key} />)}
              </ul>
            )
            : <Empty icon="key" title={said.none} text={said.noneText} action={button} />
          : error
          ? <Problem error={error} retry={refetch} />
          : <Skeleton rows={3} />}
      </Card>
      <EventTicket />
      <Dialog open={creating} title={said.create} onClose={() => create(false)}>
        <KeyForm
          onCancel={() => create(false)}
          onDone={(secret) => {
            create(false);
            show(secret ?? null);
          }}
        />
      </Dialog>
      <Dialog
        open={made !== null}
        once
        title={said.created}
        onClose={() => show(null)}
        footer={<Button kind="primary" onClick={() => show(null)}>{close}</Button>}
      >
        <div class="stack">
          <Notice tone="warning">{said.createdText}</Notice>
          <Code text={made ?? ""} label={said.copyKey} />
        </div>
      </Dialog>
    </AccountPage>
  );
}

function KeyRow({ apiKey }: { apiKey: ApiKey }) {
  const said = texts().key;
  const [editing, edit] = useState(false);
  const { id, name, start, scopes, addresses, expiresAt, lastUsedAt, lastUsedIp } = apiKey;
  const ended = expiresAt !== undefined && Date.parse(expiresAt) <= Date.now();
  const more = scopes.length - NAMED;

  async function revoke() {
    const { revokeText: text, revoke: action, revoked } = said;
    if (!await confirm({ title: said.revokeTitle(name), text, action, danger: true })) return;
    await attempt(() => deleteApiKey({ path: { id } }), revoked);
    refresh("apiKeys");
  }

  return (
    <li class="account-row">
      <Icon name="key" size={20} />
      <div class="account-row-words">
        <p class="strong">
          {name} <code class="key-start" dir="ltr">{start}…</code>{" "}
          {ended && <Badge tone="bad">{said.expired}</Badge>}
        </p>
        <p class="row key-scopes">
          {scopes.slice(0, NAMED).map((scope) => (
            <Badge key={scope} title={scope}>{permissionName(scope)}</Badge>
          ))}
          {more > 0 && <Badge title={scopes.slice(NAMED).join(", ")}>+{more}</Badge>}
        </p>
        <p class="muted small">
          {lastUsedAt
            ? (
              <>
                {said.used} <Time at={lastUsedAt} />
                {lastUsedIp && <>· {lastUsedIp}</>}
              </>
            )
            : said.unused}
          {" · "}
          {said.expires} {expiresAt ? <Time at={expiresAt} style="date" /> : said.never}
          {addresses.length > 0 && <>· {addresses.join(", ")}</>}
        </p>
      </div>
      <Menu
        label={`${said.title}: ${name}`}
        icon="more"
        iconOnly
        align="end"
        items={[
          { label: said.edit, icon: "edit", run: () => edit(true) },
          { label: said.revoke, icon: "trash", danger: true, run: () => void revoke() },
        ]}
      />
      <Dialog open={editing} title={said.editTitle} onClose={() => edit(false)}>
        <KeyForm apiKey={apiKey} onCancel={() => edit(false)} onDone={() => edit(false)} />
      </Dialog>
    </li>
  );
}
