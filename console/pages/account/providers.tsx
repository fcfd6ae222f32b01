// Other services that one signs in by.
import { deleteIdentity, type Identity, listIdentities } from "../../../client/mod.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { confirm } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { place } from "../../state/place.ts";
import { beginAtProvider } from "../../state/providers.ts";
import { refresh, useQuery } from "../../state/query.ts";
import { attempt } from "./attempt.ts";
import { securityTexts } from "./security_texts.ts";

export function ProvidersCard() {
  const said = securityTexts().providers;
  const { data, error, refetch } = useQuery(
    ["identities"],
    async (signal) => (await listIdentities({ signal })).data,
  );
  // Where there are no providers and none was linked, there is nothing to say.
  if (place.providers.length === 0 && !data?.length) return null;
  const free = place.providers.filter(({ name }) =>
    !data?.some(({ provider }) => provider === name)
  );
  return (
    <Card title={said.title} text={said.text}>
      {data
        ? (
          <ul class="account-rows">
            {data.map((identity) => <Linked key={identity.id} identity={identity} />)}
            {free.map(({ name, label }) => (
              <li key={name} class="account-row">
                <Icon name="link" size={20} />
                <p class="account-row-words strong">{label}</p>
                <Button size="s" onClick={() => beginAtProvider(name, "link")}>
                  {said.link}
                </Button>
              </li>
            ))}
          </ul>
        )
        : error
        ? <Problem compact error={error} retry={refetch} />
        : <Skeleton block="2.5rem" />}
    </Card>
  );
}

function Linked({ identity: { id, label, issuer, email, createdAt } }: { identity: Identity }) {
  const said = securityTexts().providers;
  const name = label ?? issuer;

  async function unlink() {
    const { unlinkText: text, unlink: action, unlinked } = said;
    if (!await confirm({ title: said.unlinkTitle(name), text, action, danger: true })) return;
    await attempt(() => deleteIdentity({ path: { id } }), unlinked);
    refresh("identities");
  }

  return (
    <li class="account-row">
      <Icon name="link" size={20} />
      <div class="account-row-words">
        <p class="strong">
          {name} {label === undefined && <Badge tone="warn">{said.gone}</Badge>}
        </p>
        <p class="muted small">
          {email && <>{email} ·</>}
          <Time at={createdAt} style="date" />
        </p>
      </div>
      <Button size="s" kind="quiet" onClick={() => void unlink()}>{said.unlink}</Button>
    </li>
  );
}
