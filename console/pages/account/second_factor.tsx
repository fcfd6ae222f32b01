// What must be set up before anything else, where the role asks for a second factor.
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { getSecondFactors } from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { Notice, Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { EntryCard } from "../../shell/entry_card.tsx";
import { hasPasskeys } from "../../state/passkeys.ts";
import { useQuery } from "../../state/query.ts";
import { home } from "../../state/reach.ts";
import { signOut } from "../../state/session.ts";
import { addPasskey } from "./passkeys.tsx";
import { RecoveryCodes } from "./recovery_codes.tsx";
import { securityTexts } from "./security_texts.ts";
import { TotpSetup } from "./totp_setup.tsx";

export default function SecondFactor() {
  const { secondFactor: said, codes: codesSaid, factor, passkeys, totp } = securityTexts();
  const { route } = useLocation();
  const [way, choose] = useState<"totp" | null>(null);
  const [codes, show] = useState<readonly string[] | null>(null);
  const [busy, work] = useState(false);
  const { data, error, refetch } = useQuery(
    ["secondFactors"],
    async (signal) => (await getSecondFactors({ signal })).data,
  );

  /** All that was refused before is read anew. */
  const goOn = () => location.assign(home());

  async function byPasskey() {
    work(true);
    const made = await addPasskey();
    work(false);
    if (made && made.length > 0) show(made);
    else if (made) goOn();
  }

  async function leave() {
    await signOut();
    route("/login", true);
  }

  if (codes) {
    return (
      <EntryCard title={codesSaid.title} text={codesSaid.text}>
        <RecoveryCodes codes={codes} />
        <Button class="entry-wide" kind="primary" onClick={goOn}>{codesSaid.kept}</Button>
      </EntryCard>
    );
  }
  const links = (
    <button type="button" class="link" onClick={() => void leave()}>{said.signOut}</button>
  );
  if (way === "totp") {
    return (
      <EntryCard title={totp.title} text={totp.scan} links={links}>
        <TotpSetup onDone={show} onCancel={() => choose(null)} />
      </EntryCard>
    );
  }
  const held = data && (data.totp.enabled || data.passkeys > 0);
  return (
    <EntryCard title={said.title} text={held ? undefined : said.text} links={links}>
      {error && !data
        ? <Problem compact error={error} retry={refetch} />
        : !data
        ? <Skeleton block="4.5rem" />
        : held
        ? <Notice>{said.again}</Notice>
        : (
          <div class="stack stack-tight">
            <Button class="entry-wide" kind="primary" icon="clock" onClick={() => choose("totp")}>
              {factor.totp}
            </Button>
            {hasPasskeys && (
              <Button
                class="entry-wide"
                icon="key"
                busy={busy}
                onClick={() => void byPasskey()}
              >
                {passkeys.add}
              </Button>
            )}
          </div>
        )}
    </EntryCard>
  );
}
