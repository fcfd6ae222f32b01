// The second factor at the end of a sign-in.
import { useEffect, useState } from "preact/hooks";
import {
  type Challenged,
  completeSecondFactor,
  completeSecondFactorByPasskey,
  getSecondFactorPasskeyOptions,
} from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/field.tsx";
import { Form, formErrors, useForm } from "../../parts/form.tsx";
import { hasPasskeys, isCancelled, usePasskey } from "../../state/passkeys.ts";
import { EntryCard } from "../../shell/entry_card.tsx";
import { Or } from "./or.tsx";
import { COOKIE, type Entering } from "./enter.ts";
import { texts } from "./texts.ts";

export interface SecondStepProps extends Pick<Entering, "enter" | "leave"> {
  readonly challenge: Challenged;
}

export function SecondStep({ challenge: { challenge, methods }, enter, leave }: SecondStepProps) {
  const said = texts().code;
  const totp = methods.includes("totp");
  const passkey = methods.includes("passkey") && hasPasskeys;
  const [recovery, setRecovery] = useState(!totp);
  const [waiting, wait] = useState(false);
  const form = useForm({
    initial: { code: "" },
    async submit({ code }) {
      await enter(await completeSecondFactor({ body: { challenge, code }, query: COOKIE }));
    },
  });

  // The field is another one for each kind of code: who asks for it goes on there.
  useEffect(() => {
    document.querySelector<HTMLElement>(".entry-card [autofocus]")?.focus();
  }, [recovery]);

  async function confirm() {
    wait(true);
    try {
      const { data } = await getSecondFactorPasskeyOptions({ body: { challenge } });
      const credential = await usePasskey(data);
      await enter(
        await completeSecondFactorByPasskey({ body: { challenge, credential }, query: COOKIE }),
      );
    } catch (error) {
      if (!isCancelled(error)) form.errors.value = formErrors(error, []);
    } finally {
      wait(false);
    }
  }

  const lead = recovery ? passkey && !totp ? said.byPasskey : said.byRecovery : said.byCode;
  return (
    <EntryCard
      title={said.title}
      text={lead}
      links={<button type="button" class="link" onClick={leave}>{said.anew}</button>}
    >
      {passkey && (
        <>
          <Button class="entry-wide" icon="key" busy={waiting} onClick={() => void confirm()}>
            {said.passkey}
          </Button>
          <Or />
        </>
      )}
      <Form form={form} problem={texts().problem} guarded={false}>
        <TextField
          {...form.field("code")}
          key={String(recovery)}
          label={recovery ? said.recoveryCode : said.code}
          autocomplete="one-time-code"
          inputMode={recovery ? "text" : "numeric"}
          autocapitalize="none"
          spellcheck={false}
          autofocus
          technical
          required
        />
        <Button class="entry-wide" type="submit" kind="primary" busy={form.busy.value}>
          {said.action}
        </Button>
        {totp && (
          <p class="entry-center">
            <button
              type="button"
              class="link"
              onClick={() => {
                form.reset();
                setRecovery(!recovery);
              }}
            >
              {recovery ? said.toCode : said.toRecovery}
            </button>
          </p>
        )}
      </Form>
    </EntryCard>
  );
}
