// What people have done: how much of it over time, and what was last.
import { useMemo } from "preact/hooks";
import { Avatar } from "../../parts/avatar.tsx";
import { Card } from "../../parts/card.tsx";
import { BarChart, ChartCsv } from "../../parts/charts/charts.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Time } from "../../parts/time.tsx";
import { timeZone } from "../../state/format.ts";
import { language } from "../../state/language.ts";
import { activityCharts, coverage, useRecent } from "./activity.ts";
import { Bones, TALL, wholeNumber } from "./chart_room.tsx";
import { LINES, Lines, More } from "./lines.tsx";
import type { Range } from "./range.tsx";
import { texts } from "./texts.ts";

export function ActivityCard({ days }: { days: Range }) {
  const said = texts();
  const zone = timeZone.value;
  const { data, error, refetch } = useRecent(days);
  const charts = useMemo(
    () => data && activityCharts(data, zone),
    [data, zone, language.value],
  );
  return (
    <Card
      class="wide"
      title={said.activity}
      // Its line is there from the start, so that nothing moves.
      text={data ? coverage(data) : "\u00a0"}
      actions={charts && <ChartCsv data={charts.table} name={`activity-${data!.days}-days`} />}
    >
      {charts
        ? <BarChart {...charts.chart} stacked height={TALL} formatAxis={wholeNumber} />
        : error
        ? <Problem error={error} retry={refetch} compact />
        : <Bones height={TALL} />}
    </Card>
  );
}

export function LatestCard({ days }: { days: Range }) {
  const said = texts();
  const { data, error, refetch } = useRecent(days);
  return (
    <Card title={said.latest} actions={<More page="audit">{said.audit}</More>}>
      {error && data === undefined ? <Problem error={error} retry={refetch} compact /> : (
        <Lines
          ready={data !== undefined}
          none={said.noActivity}
          lines={(data?.acts ?? []).slice(0, LINES).map(({ id, user, action, target, time }) => (
            <li key={id} class="glance-line">
              <Avatar name={user.name} src={user.avatar} />
              <span class="glance-words">
                <span class="cut">
                  <span class="strong">{user.name}</span>{" "}
                  {said.act(said.acts[action] ?? action, said.kinds[target] ?? target)}
                </span>
                <span class="muted small">
                  <Time at={time} />
                </span>
              </span>
            </li>
          ))}
        />
      )}
    </Card>
  );
}
