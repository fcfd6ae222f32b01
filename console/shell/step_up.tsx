// Asks who is there, where the server wants to be sure before it does something: whatever room the request came from, it
// goes on after the answer.
import { useEffect, useState } from "preact/hooks";
import {
  getSecondFactors,
  getStepUpPasskeyOptions,
  stepUp,
  stepUpByPasskey,
} from "../../client/mod.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { PasswordField, TextField } from "../parts/field.tsx";
import { Form, FormActions, formErrors, useForm } from "../parts/form.tsx";
import { Problem } from "../parts/problem.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { hasPasskeys, isCancelled, usePasskey } from "../state/passkeys.ts";
import { useQuery } from "../state/query.ts";
import { signOut, user } from "../state/session.ts";
import { type ProofAsked, proofAsked } from "../state/transport.ts";
import { translated } from "../state/language.ts";

const texts = translated({
  en: {
    title: "Is it you?",
    text: "This needs a fresh proof of who you are. It is asked for once in ten minutes.",
    password: "Your password",
    code: "Code of your authenticator, or a recovery code",
    recoveryCode: "Recovery code",
    action: "Confirm",
    problem: "That was not taken",
    passkey: "Use a passkey",
    other: "No password? Sign out and in again:",
    again: "sign in again",
  },
  zh: {
    title: "请确认本人身份",
    text: "此操作需要重新验证您的身份，十分钟内只需验证一次。",
    password: "您的密码",
    code: "验证器动态码或恢复码",
    recoveryCode: "恢复码",
    action: "确认",
    problem: "验证未通过",
    passkey: "使用通行密钥",
    other: "没有密码？请退出后重新登录：",
    again: "重新登录",
  },
});

export function StepUp() {
  const asked = proofAsked.value;
  if (!asked) return null;
  const { title, text } = texts();
  return (
    <Dialog
      open
      size="s"
      class="step-up"
      title={title}
      text={text}
      onClose={() => asked.answer(false)}
    >
      <Ways asked={asked} />
    </Dialog>
  );
}

function Ways({ asked }: { asked: ProofAsked }) {
  const { data, error, refetch } = useQuery(
    ["secondFactors", user.value?.id],
    async (signal) => (await getSecondFactors({ signal })).data,
  );
  if (error && !data) return <Problem compact error={error} retry={refetch} />;
  if (!data) return <Skeleton block="5.5rem" />;
  const { totp, passkeys } = data;
  return (
    <Proof
      asked={asked}
      second={totp.enabled || passkeys > 0}
      totp={totp.enabled}
      passkey={passkeys > 0 && hasPasskeys}
    />
  );
}

interface ProofProps {
  readonly asked: ProofAsked;
  /** Whether the account has a second factor: then the password is no proof. */
  readonly second: boolean;
  readonly totp: boolean;
  readonly passkey: boolean;
}

function Proof({ asked, second, totp, passkey }: ProofProps) {
  const { password, code, recoveryCode, action, problem, passkey: byPasskey, other, again } =
    texts();
  const [waiting, wait] = useState(false);
  // The dialog was opened before there was anything to fill in.
  useEffect(() => document.querySelector<HTMLElement>(".step-up [autofocus]")?.focus(), []);
  const form = useForm({
    initial: { currentPassword: "", code: "" },
    async submit({ currentPassword, code }) {
      await stepUp({ body: second ? { code } : { currentPassword } });
      asked.answer(true);
    },
  });

  async function usePasskeyNow() {
    wait(true);
    try {
      const { data } = await getStepUpPasskeyOptions();
      await stepUpByPasskey({ body: { credential: await usePasskey(data) } });
      asked.answer(true);
    } catch (error) {
      if (!isCancelled(error)) form.errors.value = formErrors(error, []);
    } finally {
      wait(false);
    }
  }

  return (
    <Form form={form} label={texts().title} problem={problem} guarded={false}>
      {passkey && (
        <Button icon="key" autofocus busy={waiting} onClick={() => void usePasskeyNow()}>
          {byPasskey}
        </Button>
      )}
      {second
        ? (
          <TextField
            {...form.field("code")}
            label={totp ? code : recoveryCode}
            autocomplete="one-time-code"
            autofocus={!passkey}
            technical
            required
          />
        )
        : (
          <PasswordField
            {...form.field("currentPassword")}
            label={password}
            autofocus
            required
          />
        )}
      {!second && (
        <p class="small muted">
          {other} <button type="button" class="link" onClick={() => leave(asked)}>{again}</button>
        </p>
      )}
      <FormActions form={form} label={action} onCancel={() => asked.answer(false)} />
    </Form>
  );
}

function leave(asked: ProofAsked): void {
  asked.answer(false);
  void signOut();
}
