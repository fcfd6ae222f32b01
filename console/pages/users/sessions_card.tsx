// Where a user is signed in.
import {
  type ApiError,
  deleteUserSession,
  listUserSessions,
  type ListUserSessionsResponse,
  type User,
} from "../../../client/mod.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { confirm } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { useMutation, useQuery } from "../../state/query.ts";
import { deviceWords, placeWords } from "../../state/session_words.ts";
import { toast } from "../../state/toasts.ts";
import { tried } from "../../state/use_busy.ts";
import { detailTexts } from "./detail_texts.ts";

type UserSession = ListUserSessionsResponse["data"][number];

export function SessionsCard({ user }: { user: User }) {
  const { detail } = detailTexts();
  const path = { id: user.id };
  const sessions = useQuery(
    ["sessions", "of", user.id],
    async (signal) =>
      (await listUserSessions({ path, query: { limit: 100, sort: "-lastUsedAt" }, signal })).data,
  );
  const end = useMutation(
    (ids: readonly string[]) =>
      Promise.all(ids.map((sessionId) => deleteUserSession({ path: { ...path, sessionId } }))),
    ["sessions"],
  );
  const run = (ids: readonly string[], said: string) =>
    tried(async () => {
      await end.run(ids);
      toast({ text: said });
    });
  const endAll = async (all: readonly UserSession[]) => {
    const { endAll: action, endAllTitle: title, endAllText: text } = detail;
    if (!await confirm({ title, text, action, danger: true })) return;
    await run(all.map(({ id }) => id), detail.sessionsEnded);
  };
  const { data, error } = sessions;
  return (
    <Card
      title={detail.sessions}
      text={detail.sessionsText}
      actions={data && data.length > 1 && (
        <Button
          size="s"
          busy={end.busy}
          onClick={() => void endAll(data)}
        >
          {detail.endAll}
        </Button>
      )}
    >
      {data === undefined && !error && <Skeleton lines={3} />}
      {error && <Refused error={error} retry={() => sessions.refetch()} />}
      {data?.length === 0 && <p class="muted">{detail.noSessions}</p>}
      <ul class="items">
        {data?.map((session) => (
          <SessionItem
            key={session.id}
            session={session}
            busy={end.busy}
            onEnd={() => void run([session.id], detail.sessionEnded)}
          />
        ))}
      </ul>
    </Card>
  );
}

function SessionItem(
  { session, busy, onEnd }: { session: UserSession; busy: boolean; onEnd: () => void },
) {
  const { detail } = detailTexts();
  const device = deviceWords(session) ?? detail.unknownDevice;
  const place = placeWords(session);
  return (
    <li class="item">
      <Icon name="monitor" />
      <div class="item-words">
        <span class="row">
          <span class="strong" title={session.userAgent}>{device}</span>
          {session.current && <Badge tone="accent">{detail.thisOne}</Badge>}
          {session.impersonated && <Badge tone="warn">{detail.impersonated}</Badge>}
        </span>
        <span class="muted small">
          {place && `${place} · `}
          {detail.lastUsed} <Time at={session.lastUsedAt} />
        </span>
      </div>
      <Button size="s" busy={busy} aria-label={detail.endSessionOf(device)} onClick={onEnd}>
        {detail.endSession}
      </Button>
    </li>
  );
}

/** Of those who may do more than oneself nothing is shown. */
export function Refused({ error, retry }: { error: ApiError; retry: () => unknown }) {
  if (error.status === 403) return <p class="muted">{detailTexts().detail.hidden}</p>;
  return <Problem error={error} retry={retry} compact />;
}
