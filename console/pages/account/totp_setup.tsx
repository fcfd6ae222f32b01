// Setting up an authenticator: its secret as a QR code and as text, and the first code of it as the proof that it works.
import { useEffect, useState } from "preact/hooks";
import { confirmTotp, createTotp, type TotpSetup as Setup } from "../../../client/mod.ts";
import { CopyButton } from "../../parts/code.tsx";
import { TextField } from "../../parts/field.tsx";
import { Form, FormActions, useForm } from "../../parts/form.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { securityTexts } from "./security_texts.ts";

export interface TotpSetupProps {
  /** @param codes New recovery codes, which are shown this once. */
  readonly onDone: (codes: readonly string[]) => void;
  readonly onCancel?: () => void;
}

export function TotpSetup({ onDone, onCancel }: TotpSetupProps) {
  const said = securityTexts().totp;
  const [setup, setSetup] = useState<Setup | null>(null);
  const [failure, fail] = useState<unknown>(null);
  const begin = () => {
    fail(null);
    createTotp().then(({ data }) => setSetup(data), fail);
  };
  useEffect(begin, []);
  const form = useForm({
    initial: { code: "" },
    async submit(body) {
      onDone((await confirmTotp({ body })).data.recoveryCodes);
    },
  });
  if (failure) return <Problem compact error={failure} retry={begin} />;
  return (
    <Form form={form} label={said.title} problem={said.problem} guarded={false}>
      <div class="totp">
        {setup
          ? <img class="totp-qr" src={imageOf(setup.qr)} alt={said.qr} width={176} height={176} />
          : <Skeleton block="11rem" class="totp-qr-bone" />}
        <div class="stack">
          <div class="stack stack-tight">
            <span class="field-label">{said.secret}</span>
            {setup
              ? (
                <span class="totp-secret" dir="ltr">
                  <code>{grouped(setup.secret)}</code>
                  <CopyButton text={setup.secret} />
                </span>
              )
              : <Skeleton lines={2} />}
          </div>
          <TextField
            {...form.field("code")}
            label={said.code}
            autocomplete="one-time-code"
            inputMode="numeric"
            autofocus
            technical
            required
          />
        </div>
      </div>
      <FormActions form={form} label={said.confirm} onCancel={onCancel} />
    </Form>
  );
}

/** The server draws it; as an image no script and no style of it could run. */
function imageOf(svg: string): string {
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

function grouped(secret: string): string {
  return secret.match(/.{1,4}/g)!.join(" ");
}
