// Where one is signed in.
import { useState } from "preact/hooks";
import {
  deleteSession,
  every,
  listSessions,
  type ListSessionsResponse,
} from "../../../client/mod.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { confirm } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { refresh, useQuery } from "../../state/query.ts";
import { deviceWords, placeWords } from "../../state/session_words.ts";
import { attempt } from "./attempt.ts";
import { AccountPage } from "./page.tsx";
import { texts } from "./texts.ts";

type Session = ListSessionsResponse["data"][number];

/** This one first, then those used last. */
async function sessionsNow(signal: AbortSignal): Promise<Session[]> {
  const all = await Array.fromAsync(
    every(({ cursor }) => listSessions({ query: { limit: 100, cursor }, signal })),
  );
  return all.sort((one, other) =>
    Number(other.current) - Number(one.current) || other.lastUsedAt.localeCompare(one.lastUsedAt)
  );
}

export default function Sessions() {
  const said = texts().session;
  const [busy, work] = useState(false);
  const { data, error, refetch } = useQuery(["sessions"], sessionsNow);
  const others = data?.filter(({ current }) => !current) ?? [];

  async function endOthers() {
    const { endOthersTitle: title, endOthersText: text, endOthers: action } = said;
    if (!await confirm({ title, text, action, danger: true })) return;
    work(true);
    await attempt(
      () => Promise.all(others.map(({ id }) => deleteSession({ path: { id } }))),
      said.endedOthers(others.length),
    );
    refresh("sessions");
    work(false);
  }

  return (
    <AccountPage tab="sessions">
      <Card
        title={said.title}
        text={said.text}
        actions={others.length > 0 && (
          <Button size="s" busy={busy} onClick={() => void endOthers()}>{said.endOthers}</Button>
        )}
      >
        {data
          ? (
            <ul class="account-rows">
              {data.map((session) => <SessionRow key={session.id} session={session} />)}
            </ul>
          )
          : error
          ? <Problem error={error} retry={refetch} />
          : <Skeleton rows={4} />}
      </Card>
    </AccountPage>
  );
}

function SessionRow({ session }: { session: Session }) {
  const said = texts().session;
  const { id, method, current, impersonated, lastUsedAt, createdAt } = session;
  const name = deviceWords(session) ?? said.unknown;

  async function end() {
    const { endTitle: title, end: action, ended } = said;
    if (!await confirm({ title, text: said.endText(name), action, danger: true })) return;
    await attempt(() => deleteSession({ path: { id } }), ended);
    refresh("sessions");
  }

  return (
    <li class="account-row">
      <Icon name="monitor" size={20} />
      <div class="account-row-words">
        <p class="strong">
          {name} {current && <Badge tone="good">{said.current}</Badge>}
          {impersonated && <Badge tone="warn">{said.impersonated}</Badge>}
        </p>
        <p class="muted small">
          {[placeWords(session), method && said.method[method]].filter(Boolean).join(" · ")}
        </p>
        <p class="muted small">
          {said.used} <Time at={lastUsedAt} /> · {said.begun}{" "}
          <Time at={createdAt} style="dateTime" />
        </p>
      </div>
      {!current && (
        <Button size="s" aria-label={`${said.end}: ${name}`} onClick={() => void end()}>
          {said.end}
        </Button>
      )}
    </li>
  );
}
