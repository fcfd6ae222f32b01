// The API keys of a user.
import { type ApiKey, deleteUserApiKey, listUserApiKeys, type User } from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { confirm } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { permissionName } from "../../state/permission_names.ts";
import { useMutation, useQuery } from "../../state/query.ts";
import { toast } from "../../state/toasts.ts";
import { tried } from "../../state/use_busy.ts";
import { Refused } from "./sessions_card.tsx";
import { detailTexts } from "./detail_texts.ts";

export function KeysCard({ user }: { user: User }) {
  const { detail } = detailTexts();
  const path = { id: user.id };
  const keys = useQuery(
    ["apiKeys", "of", user.id],
    async (signal) => (await listUserApiKeys({ path, query: { limit: 100 }, signal })).data,
  );
  const revoke = useMutation(
    (keyId: string) => deleteUserApiKey({ path: { ...path, keyId } }),
    ["apiKeys"],
  );
  const ask = async ({ id, name }: ApiKey) => {
    const { revokeTitle, revokeText: text, revoke: action } = detail;
    if (!await confirm({ title: revokeTitle(name), text, action, danger: true })) return;
    await tried(async () => {
      await revoke.run(id);
      toast({ text: detail.revoked });
    });
  };
  const { data, error } = keys;
  return (
    <Card title={detail.keys} text={detail.keysText}>
      {data === undefined && !error && <Skeleton lines={2} />}
      {error && <Refused error={error} retry={() => keys.refetch()} />}
      {data?.length === 0 && <p class="muted">{detail.noKeys}</p>}
      <ul class="items">
        {data?.map((key) => (
          <li key={key.id} class="item">
            <Icon name="key" />
            <div class="item-words">
              <span class="row">
                <span class="strong">{key.name}</span>
                <code>{key.start}…</code>
              </span>
              <span class="muted small">
                {key.scopes.map(permissionName).join(", ")} · {detail.lastUsed}{" "}
                {key.lastUsedAt ? <Time at={key.lastUsedAt} /> : detail.neverUsed}
                {key.expiresAt && (
                  <>
                    · {detail.expires} <Time at={key.expiresAt} />
                  </>
                )}
              </span>
            </div>
            <Button
              size="s"
              busy={revoke.busy}
              aria-label={detail.revokeOf(key.name)}
              onClick={() => void ask(key)}
            >
              {detail.revoke}
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  );
}
