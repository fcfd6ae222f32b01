// The first start: names the administrator, and signs them in.
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { getSetup, setUp } from "../../../client/mod.ts";
import { Notice, Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { useQuery } from "../../state/query.ts";
import { user } from "../../state/session.ts";
import { EntryCard } from "../../shell/entry_card.tsx";
import { AccountForm } from "./account_form.tsx";
import { COOKIE, useEntering } from "./enter.ts";
import { texts } from "./texts.ts";

/** Whether the server waits for an administrator to be named, by whoever asks from its own machine. */
export function useSetup() {
  return useQuery(["setup"], async (signal) => (await getSetup({ signal })).data);
}

export default function SetUp() {
  const { setUp: said, back } = texts();
  const { route } = useLocation();
  const { data, error, refetch } = useSetup();
  const signedIn = Boolean(user.value);
  useEffect(() => {
    if (signedIn) route("/", true);
  }, [signedIn]);
  if (data?.needed) return <NameAdministrator />;
  return (
    <EntryCard title={said.title} links={<a href="/login">{back}</a>}>
      {data
        ? <Notice>{said.done}</Notice>
        : error
        ? <Problem compact error={error} retry={refetch} />
        : <Skeleton block="16rem" />}
    </EntryCard>
  );
}

function NameAdministrator() {
  const { setUp: said } = texts();
  const { enter } = useEntering(null);
  return (
    <EntryCard title={said.title} text={said.text}>
      <AccountForm
        action={said.action}
        problem={said.problem}
        submit={async (body) => await enter(await setUp({ body, query: COOKIE }))}
      />
    </EntryCard>
  );
}
