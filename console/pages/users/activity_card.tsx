// What a user did lately, from the audit log.
import { listAuditEntries, type User } from "../../../client/mod.ts";
import { Card } from "../../parts/card.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { serves } from "../../state/place.ts";
import { useQuery } from "../../state/query.ts";
import { detailTexts } from "./detail_texts.ts";

/** Entries that are shown. */
const SHOWN = 6;

export function ActivityCard({ user: { id } }: { user: User }) {
  const { detail } = detailTexts();
  const enabled = serves("audit");
  const entries = useQuery(
    ["audit", "of", id],
    async (signal) =>
      (await listAuditEntries({ query: { actorId: [id], limit: SHOWN }, signal })).data,
    { enabled },
  );
  if (!enabled) return null;
  const { data, error } = entries;
  const verbs: Readonly<Record<string, string>> = detail.actions;
  return (
    <Card
      title={detail.activity}
      text={detail.activityText}
      footer={
        <span class="links">
          <a href={`/audit?actorId=${encodeURIComponent(id)}`}>{detail.didAll}</a>
          <a href={`/audit?targetId=${encodeURIComponent(id)}`}>{detail.doneAll}</a>
        </span>
      }
    >
      {data === undefined && !error && <Skeleton lines={SHOWN} />}
      {error && <Problem error={error} retry={() => entries.refetch()} compact />}
      {data?.length === 0 && <p class="muted">{detail.noActivity}</p>}
      <ul class="items">
        {data?.map((entry) => (
          <li key={entry.id} class="item">
            <div class="item-words">
              <span>
                {verbs[entry.action] ?? entry.action}{" "}
                <span class="strong">{entry.targetName || entry.target}</span>
              </span>
            </div>
            <span class="muted small">
              <Time at={entry.time} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
