// What is on today, and who there is.
import { type DashboardOverview, getUserStatistics } from "../../../client/mod.ts";
import { Card } from "../../parts/card.tsx";
import { ChartCsv, DonutChart } from "../../parts/charts/charts.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { dayIn } from "../../state/calendar_days.ts";
import { date, timeRange, timeZone } from "../../state/format.ts";
import { useQuery } from "../../state/query.ts";
import { roleLabel, useRoles } from "../../state/roles.ts";
import { LINES, Lines, More } from "./lines.tsx";
import { texts } from "./texts.ts";

export function TodayCard({ data }: { data: DashboardOverview | undefined }) {
  const said = texts();
  const events = [...data?.calendar ?? []].sort((one, other) =>
    Number(other.allDay) - Number(one.allDay) || one.start.localeCompare(other.start)
  );
  return (
    <Card
      title={said.today}
      text={date(Date.now(), "date")}
      actions={<More page="calendar">{said.calendar}</More>}
    >
      <Lines
        ready={data !== undefined}
        none={said.noEvents}
        lines={events.slice(0, LINES).map(({ id, title, start, end, allDay, location }) => (
          <li key={id} class="glance-line">
            <span class="glance-when number">{allDay ? said.allDay : begun(start)}</span>
            <span class="glance-words">
              <span class="cut">{title}</span>
              <span class="glance-marks">
                {!allDay && <span class="number">{timeRange(start, end)}</span>}
                {location && <span class="cut">{location}</span>}
              </span>
            </span>
          </li>
        ))}
      />
    </Card>
  );
}

/** The time, or the day where that is another one than today. */
function begun(start: string): string {
  const isToday = dayIn(timeZone.value, start) === dayIn(timeZone.value);
  return date(start, isToday ? "time" : "short");
}

export function PeopleCard() {
  const said = texts();
  const roles = useRoles();
  const people = useQuery(
    ["dashboard", "users"],
    async (signal) => (await getUserStatistics({ signal })).data,
  );
  const labelOf = (name: string) => roleLabel(name, roles?.find((one) => one.name === name)?.label);
  const slices = (people.data?.byRole ?? []).map(({ role, count }) => ({
    label: labelOf(role),
    value: count,
  }));
  const table = {
    title: said.people,
    labels: slices.map(({ label }) => label),
    series: [{ name: said.users, values: slices.map(({ value }) => value) }],
  };
  return (
    <Card
      title={said.people}
      text={people.data ? said.newPeople(people.data.newThisMonth) : "\u00a0"}
      actions={people.data && <ChartCsv data={table} name="users-by-role" />}
    >
      {people.data
        ? <DonutChart title={said.people} unit={said.users} slices={slices} />
        : people.error
        ? <Problem error={people.error} retry={people.refetch} compact />
        : <Skeleton block="220px" />}
    </Card>
  );
}
