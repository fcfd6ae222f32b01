// Registering, where the server lets people do that themselves.
import { useLocation } from "preact-iso/router";
import { login, register } from "../../../client/mod.ts";
import { Notice } from "../../parts/problem.tsx";
import { registration } from "../../state/reach.ts";
import { EntryCard } from "../../shell/entry_card.tsx";
import { AccountForm, type NewAccount } from "./account_form.tsx";
import { COOKIE, openedBy, useEntering } from "./enter.ts";
import { texts } from "./texts.ts";

export default function Register() {
  const { register: said, signIn, back } = texts();
  const { route } = useLocation();
  const { enter } = useEntering(null);
  const submit = async (account: NewAccount) => {
    const answer = await register({ body: account, query: COOKIE });
    const opened = openedBy(answer);
    if ("accessToken" in opened || "token" in opened) return await enter(answer);
    // In variant web the session is opened by signing in.
    const { email, password } = account;
    await login({ body: { email, password }, query: COOKIE })
      .then(enter, () => route("/login?notice=registered", true));
  };
  if (!registration) {
    return (
      <EntryCard title={said.title} links={<a href="/login">{back}</a>}>
        <Notice>{said.closed}</Notice>
      </EntryCard>
    );
  }
  return (
    <EntryCard
      title={said.title}
      text={said.text}
      links={
        <p>
          {said.have} <a href="/login">{signIn.title}</a>
        </p>
      }
    >
      <AccountForm action={said.action} problem={said.problem} submit={submit} />
    </EntryCard>
  );
}
