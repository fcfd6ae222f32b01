// The overview: figures, charts and what is going on, kept up to date by events.
import { useEffect } from "preact/hooks";
import { getDashboardOverview } from "../../../client/mod.ts";
import { Page } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { wallTime } from "../../parts/zoned.ts";
import { date, timeZone } from "../../state/format.ts";
import { onEvent } from "../../state/live.ts";
import { serves } from "../../state/place.ts";
import { refresh, useQuery } from "../../state/query.ts";
import { can, user } from "../../state/session.ts";
import { atMostEvery } from "../../state/throttle.ts";
import { ActivityCard, LatestCard } from "./activity_cards.tsx";
import { FilesCard, SalesCard, VisitsCard } from "./charts.tsx";
import { Figures } from "./figures.tsx";
import { FirstSteps, isNew } from "./first_steps.tsx";
import { PeopleCard, TodayCard } from "./glances.tsx";
import { RangePicker, useRange } from "./range.tsx";
import { TasksCard } from "./tasks_card.tsx";
import { texts } from "./texts.ts";

/**
 * Milliseconds. The server tells of every change of its figures, and reading them is a page view, which changes them
 * again: so they are read once a minute. What events of records tell of is read at once.
 */
const AT_MOST_EVERY = 60_000;

export default function OverviewPage() {
  const said = texts();
  const tz = timeZone.value;
  const [days, setDays] = useRange();
  const overview = useQuery(
    ["dashboard", "overview", tz],
    async (signal) => (await getDashboardOverview({ query: { tz }, signal })).data,
  );
  useEffect(() => {
    const again = atMostEvery(AT_MOST_EVERY, () => refresh("dashboard"));
    const stop = onEvent(({ type }) => {
      if (type === "dashboard.changed") again.ask();
    });
    return () => {
      stop();
      again.stop();
    };
  }, []);
  const { data, error } = overview;
  const begins = data !== undefined && isNew(data.stats) && can("users:create", "documents:create");

  return (
    <Page
      title={said.title}
      text={<Greeting />}
      actions={<RangePicker days={days} onChange={setDays} />}
    >
      {error && <Problem error={error} retry={overview.refetch} compact={data !== undefined} />}
      {(data || !error) && (
        <>
          {begins && <FirstSteps stats={data.stats} />}
          <Figures data={data} />
          <div class="overview">
            <VisitsCard data={data} days={days} />
            <FilesCard data={data} />
            <SalesCard data={data} days={days} />
            {serves("calendar") && <TodayCard data={data} />}
            {serves("activities") && <ActivityCard days={days} />}
            {serves("activities") && <LatestCard days={days} />}
            <TasksCard data={data} />
            {serves("activities") && <PeopleCard />}
          </div>
        </>
      )}
    </Page>
  );
}

function Greeting() {
  const said = texts();
  const now = new Date();
  const hour = Number(wallTime(now.toISOString(), timeZone.value).slice(11, 13));
  const greet = hour < 12 ? said.morning : hour < 18 ? said.day : said.evening;
  return <>{greet(user.value?.name ?? "")} {date(now, "long")}</>;
}
