// Signing in: by password and second factor, by passkey, by a provider.
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { getPasskeySignInOptions, login, signInByPasskey } from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { PasswordField, TextField } from "../../parts/field.tsx";
import { Form, formErrors, useForm } from "../../parts/form.tsx";
import { Notice } from "../../parts/problem.tsx";
import { useParameter } from "../../state/address.ts";
import { hasPasskeys, isCancelled, offersPasskeys, usePasskey } from "../../state/passkeys.ts";
import { place } from "../../state/place.ts";
import { beginAtProvider } from "../../state/providers.ts";
import { registration, wayBack } from "../../state/reach.ts";
import { user } from "../../state/session.ts";
import { EntryCard } from "../../shell/entry_card.tsx";
import { Or } from "./or.tsx";
import { COOKIE, type Entering, useEntering } from "./enter.ts";
import { SecondStep } from "./second_step.tsx";
import { useSetup } from "./set_up.tsx";
import { texts } from "./texts.ts";

export default function SignIn() {
  const { route } = useLocation();
  const [back] = useParameter("redirect");
  const entering = useEntering(back);
  const signedIn = Boolean(user.value);
  const { data: setup } = useSetup();
  const first = setup?.needed ?? false;
  useEffect(() => {
    if (signedIn) route(wayBack(back), true);
    else if (first) route("/setup", true);
  }, [signedIn, first]);

  const { challenge } = entering;
  if (signedIn) return null;
  return challenge
    ? <SecondStep challenge={challenge} enter={entering.enter} leave={entering.leave} />
    : <FirstStep entering={entering} back={back} />;
}

function FirstStep({ entering: { enter }, back }: { entering: Entering; back: string }) {
  const { email, password, signIn: said, notices } = texts();
  const [notice] = useParameter("notice");
  const told = Object.hasOwn(notices, notice) ? notices[notice as keyof typeof notices] : null;
  const form = useForm({
    initial: { email: "", password: "" },
    submit: async (body) => enter(await login({ body, query: COOKIE })),
  });
  const fail = (error: unknown) => {
    if (!isCancelled(error)) form.errors.value = formErrors(error, []);
  };
  const offered = useOfferedPasskeys(enter, fail);

  return (
    <EntryCard
      title={said.title}
      links={registration && (
        <p>
          {said.none} <a href="/register">{said.register}</a>
        </p>
      )}
    >
      <div role="status">
        {told && <Notice tone={notice === "ended" ? "info" : "success"}>{told}</Notice>}
      </div>
      <Form form={form} problem={said.problem} guarded={false}>
        <TextField
          {...form.field("email")}
          label={email}
          type="email"
          autocomplete="username webauthn"
          autofocus
          technical
          required
        />
        <PasswordField {...form.field("password")} label={password} required />
        <p class="entry-forgot">
          <a href="/forgot-password">{said.forgot}</a>
        </p>
        <Button class="entry-wide" type="submit" kind="primary" busy={form.busy.value}>
          {said.action}
        </Button>
      </Form>
      <OtherWays enter={enter} back={back} offered={offered} onFailed={fail} />
    </EntryCard>
  );
}

/** Signing in without a password: by a passkey, or at a provider. */
function OtherWays({ enter, back, offered, onFailed }: {
  readonly enter: Entering["enter"];
  readonly back: string;
  readonly offered: ReturnType<typeof useOfferedPasskeys>;
  readonly onFailed: (error: unknown) => void;
}) {
  const said = texts().signIn;
  const [waiting, wait] = useState(false);
  async function byPasskey() {
    wait(true);
    offered.pause();
    try {
      const { data } = await getPasskeySignInOptions();
      const credential = await usePasskey(data);
      await enter(await signInByPasskey({ body: { credential }, query: COOKIE }));
    } catch (error) {
      onFailed(error);
      offered.resume();
    } finally {
      wait(false);
    }
  }

  if (place.providers.length === 0 && !hasPasskeys) return null;
  return (
    <div class="entry-ways">
      <Or />
      {hasPasskeys && (
        <Button
          class="entry-wide"
          icon="key"
          busy={waiting}
          onClick={() => void byPasskey()}
        >
          {said.passkey}
        </Button>
      )}
      {place.providers.map(({ name, label }) => (
        <Button
          key={name}
          class="entry-wide"
          icon="external"
          onClick={() => beginAtProvider(name, "signIn", back)}
        >
          {said.by(label)}
        </Button>
      ))}
    </div>
  );
}

/** Milliseconds after which the server's question is asked anew: it is good for five minutes. */
const QUESTION = 4 * 60_000;

/** Lets the browser offer passkeys where the name is filled in, as long as the page is shown. */
function useOfferedPasskeys(enter: Entering["enter"], fail: (error: unknown) => void) {
  const [running, run] = useState(true);
  const offering = useRef<AbortController>(null);
  useEffect(() => {
    if (!running) return;
    const ended = offering.current = new AbortController();
    void offer(ended.signal);
    return () => ended.abort();

    async function offer(signal: AbortSignal): Promise<void> {
      if (!await offersPasskeys()) return;
      while (!signal.aborted) {
        const question = AbortSignal.any([signal, AbortSignal.timeout(QUESTION)]);
        let chosen = false;
        try {
          const { data } = await getPasskeySignInOptions({ signal });
          const credential = await usePasskey(data, { conditional: true, signal: question });
          chosen = true;
          await enter(await signInByPasskey({ body: { credential }, query: COOKIE }));
          return;
        } catch (error) {
          if (signal.aborted) return;
          if (question.aborted) continue;
          // What the person has not asked for says nothing of a browser without it, nor of a server that is away.
          if (chosen) fail(error);
          return;
        }
      }
    }
  }, [running]);
  return {
    // At once: browsers do one request at a time.
    pause() {
      offering.current?.abort();
      run(false);
    },
    resume: () => run(true),
  };
}
