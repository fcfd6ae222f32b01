// The second factor: the authenticator, and the codes for the day when it is lost.
import { useState } from "preact/hooks";
import { createRecoveryCodes, deleteTotp, type SecondFactors } from "../../../client/mod.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { confirm, Dialog } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Time } from "../../parts/time.tsx";
import { refresh } from "../../state/query.ts";
import { attempt } from "./attempt.ts";
import { RecoveryCodes } from "./recovery_codes.tsx";
import { securityTexts } from "./security_texts.ts";
import { TotpSetup } from "./totp_setup.tsx";

export function FactorCard({ state }: { readonly state: SecondFactors }) {
  const { factor: said, totp: setup } = securityTexts();
  const [settingUp, setUp] = useState(false);
  const [codes, show] = useState<readonly string[] | null>(null);
  const { totp, passkeys, recoveryCodes, required } = state;
  const on = totp.enabled || passkeys > 0;

  async function remove() {
    const { removeTitle: title, removeText: text, remove: action, removed } = said;
    if (!await confirm({ title, text, action, danger: true })) return;
    await attempt(() => deleteTotp(), removed);
    refresh("secondFactors");
  }

  async function renew() {
    const { renewTitle: title, renewText: text, renew: action } = said;
    if (!await confirm({ title, text, action })) return;
    await attempt(async () => show((await createRecoveryCodes()).data.recoveryCodes));
    refresh("secondFactors");
  }

  return (
    <Card
      title={said.title}
      text={required ? said.required : said.text}
      actions={
        <Badge tone={on ? "good" : required ? "warn" : "neutral"}>{on ? said.on : said.off}</Badge>
      }
    >
      <ul class="account-rows">
        <li class="account-row">
          <Icon name="clock" size={20} />
          <div class="account-row-words">
            <p class="strong">{said.totp}</p>
            <p class="muted small">
              {totp.enabled && totp.since
                ? (
                  <>
                    {said.since} <Time at={totp.since} style="date" />
                  </>
                )
                : said.totpText}
            </p>
          </div>
          <Button size="s" onClick={() => setUp(true)}>
            {totp.enabled ? said.replace : said.setUp}
          </Button>
          {totp.enabled && (
            <Button size="s" kind="quiet" onClick={() => void remove()}>{said.remove}</Button>
          )}
        </li>
        {on && (
          <li class="account-row">
            <Icon name="key" size={20} />
            <div class="account-row-words">
              <p class="strong">
                {said.codes}{" "}
                <Badge tone={recoveryCodes < 3 ? "warn" : "neutral"}>
                  {said.codesLeft(recoveryCodes)}
                </Badge>
              </p>
              <p class="muted small">{said.codesText}</p>
            </div>
            <Button size="s" onClick={() => void renew()}>{said.renew}</Button>
          </li>
        )}
      </ul>
      <Dialog open={settingUp} title={setup.title} text={setup.scan} onClose={() => setUp(false)}>
        <TotpSetup
          onCancel={() => setUp(false)}
          onDone={(made) => {
            setUp(false);
            show(made);
            refresh("secondFactors");
          }}
        />
      </Dialog>
      <CodesDialog codes={codes} onClose={() => show(null)} />
    </Card>
  );
}

/** Shows new recovery codes, once. */
export function CodesDialog(
  { codes, onClose }: { readonly codes: readonly string[] | null; readonly onClose: () => void },
) {
  const { title, text, kept } = securityTexts().codes;
  return (
    <Dialog
      open={codes !== null}
      once
      title={title}
      text={text}
      onClose={onClose}
      footer={<Button kind="primary" onClick={onClose}>{kept}</Button>}
    >
      <RecoveryCodes codes={codes ?? []} />
    </Dialog>
  );
}
