// One's passkeys: made, named, removed.
import { useState } from "preact/hooks";
import {
  createPasskey,
  deletePasskey,
  getPasskeyCreationOptions,
  listPasskeys,
  type Passkey,
  updatePasskeyByPatch,
} from "../../../client/mod.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { confirm, Dialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { Form, FormActions, useForm } from "../../parts/form.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { hasPasskeys, isCancelled, makePasskey } from "../../state/passkeys.ts";
import { refresh, useQuery } from "../../state/query.ts";
import { toast } from "../../state/toasts.ts";
import { attempt } from "./attempt.ts";
import { CodesDialog } from "./factor.tsx";
import { securityTexts } from "./security_texts.ts";
import { texts } from "./texts.ts";

/** Passkeys that are read: nobody has more. */
const MOST = 100;

/**
 * Makes a passkey.
 *
 * @returns The recovery codes where it is the first second factor; null where there are none, or it came to nothing.
 */
export async function addPasskey(): Promise<readonly string[] | null> {
  const said = securityTexts().passkeys;
  try {
    const { data: options } = await getPasskeyCreationOptions();
    const credential = await makePasskey(options);
    const { data } = await createPasskey({ body: { name: nameOfDevice(), credential } });
    toast({ text: said.added });
    refresh("passkeys", "secondFactors");
    return data.recoveryCodes ?? [];
  } catch (error) {
    if (isCancelled(error)) return null;
    const exists = error instanceof DOMException && error.name === "InvalidStateError";
    toast({ kind: "error", text: exists ? said.exists : (error as Error).message });
    return null;
  }
}

/** Such as "Windows": what the person knows the device by. */
function nameOfDevice(): string {
  const { platform } = (navigator as { userAgentData?: { platform?: string } }).userAgentData ?? {};
  const told = /iPhone|iPad|Android|Mac|Windows|Linux/.exec(navigator.userAgent)?.[0];
  return platform || told || securityTexts().passkeys.fallback;
}

export function PasskeysCard() {
  const said = securityTexts().passkeys;
  const [busy, work] = useState(false);
  const [codes, show] = useState<readonly string[] | null>(null);
  const { data, error, refetch } = useQuery(
    ["passkeys"],
    async (signal) => (await listPasskeys({ query: { limit: MOST }, signal })).data,
  );

  async function add() {
    work(true);
    const made = await addPasskey();
    if (made && made.length > 0) show(made);
    work(false);
  }

  return (
    <Card
      title={said.title}
      text={said.text}
      actions={hasPasskeys && (
        <Button size="s" icon="plus" busy={busy} onClick={() => void add()}>{said.add}</Button>
      )}
    >
      {data
        ? data.length > 0
          ? (
            <ul class="account-rows">
              {data.map((passkey) => <PasskeyRow key={passkey.id} passkey={passkey} />)}
            </ul>
          )
          : <p class="muted">{hasPasskeys ? said.none : said.unsupported}</p>
        : error
        ? <Problem compact error={error} retry={refetch} />
        : <Skeleton block="2.5rem" />}
      <CodesDialog codes={codes} onClose={() => show(null)} />
    </Card>
  );
}

function PasskeyRow({ passkey }: { passkey: Passkey }) {
  const said = securityTexts().passkeys;
  const [naming, rename] = useState(false);
  const { id, name, synced, lastUsedAt } = passkey;

  async function remove() {
    const { removeText: text, remove: action, removed } = said;
    if (!await confirm({ title: said.removeTitle(name), text, action, danger: true })) return;
    await attempt(() => deletePasskey({ path: { id } }), removed);
    refresh("passkeys", "secondFactors");
  }

  return (
    <li class="account-row">
      <Icon name="key" size={20} />
      <div class="account-row-words">
        <p class="strong">
          {name} {synced && <Badge>{said.synced}</Badge>}
        </p>
        <p class="muted small">
          {lastUsedAt
            ? (
              <>
                {said.used} <Time at={lastUsedAt} />
              </>
            )
            : said.never}
        </p>
      </div>
      <Menu
        label={`${said.title}: ${name}`}
        icon="more"
        iconOnly
        align="end"
        items={[
          { label: said.rename, icon: "edit", run: () => rename(true) },
          { label: said.remove, icon: "trash", danger: true, run: () => void remove() },
        ]}
      />
      <Dialog open={naming} size="s" title={said.renameTitle} onClose={() => rename(false)}>
        <Rename passkey={passkey} onDone={() => rename(false)} />
      </Dialog>
    </li>
  );
}

function Rename({ passkey: { id, name }, onDone }: { passkey: Passkey; onDone: () => void }) {
  const said = securityTexts().passkeys;
  const { saved } = texts();
  const form = useForm({
    initial: { name },
    async submit(body) {
      await updatePasskeyByPatch({ path: { id }, body });
      toast({ text: saved });
      refresh("passkeys");
      onDone();
    },
  });
  return (
    <Form form={form} label={said.renameTitle} guarded={false}>
      <TextField {...form.field("name")} label={said.name} autofocus required />
      <FormActions form={form} onCancel={onDone} />
    </Form>
  );
}
