// How the server fares: store, memory, journal, jobs, and what waits. Asked for again as long as the page is shown.
import { type ComponentChildren, Fragment } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { getSystemHealth, type SystemHealth } from "../../../client/mod.ts";
import { Badge } from "../../parts/badge.tsx";
import { Card } from "../../parts/card.tsx";
import { StatTile, TimeSeries } from "../../parts/charts/charts.tsx";
import { Page } from "../../parts/page.tsx";
import { Notice, Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { duration, fileSize, number } from "../../state/format.ts";
import { useQuery } from "../../state/query.ts";
import { problemsOf } from "./problems.ts";
import { texts } from "./texts.ts";

/** Milliseconds between two looks. */
const EVERY = 5000;
/** Looks that the chart shows: an hour of them. */
const SHOWN = 720;

interface Look {
  readonly at: number;
  readonly rss: number;
}

export default function HealthPage() {
  const said = texts();
  const looks = useRef<Look[]>([]);
  const { data, error, refetch } = useQuery(
    ["system"],
    async (signal) => {
      const { data: health } = await getSystemHealth({ signal });
      const look = { at: Date.parse(health.time), rss: health.process.memory.rss };
      looks.current = [...looks.current, look].slice(-SHOWN);
      return health;
    },
    { every: EVERY },
  );
  if (error && !data) {
    return (
      <Page title={said.title}>
        <Problem error={error} retry={refetch} />
      </Page>
    );
  }
  if (!data) {
    return (
      <Page title={said.title}>
        <Skeleton rows={8} />
      </Page>
    );
  }
  return (
    <Page
      title={said.title}
      text={said.text(data.version, data.variant)}
      mark={<State health={data} />}
    >
      <Problems health={data} />
      <div class="columns" style={{ "--column": "11rem" }}>
        <StatTile label={said.uptime} value={duration(data.process.uptime * 1000)} />
        <StatTile label={said.memory} value={fileSize(data.process.memory.rss)} />
        <StatTile label={said.records} value={number(sum(data.records))} />
        <StatTile
          label={said.streams}
          value={said.streamsOf(number(data.events.open), number(data.events.most))}
        />
      </div>
      <Card title={said.memoryOf}>
        {looks.current.length < 2
          ? <div class="chart-wait muted small" role="status">{said.gathering}</div>
          : (
            <TimeSeries
              title={said.memoryOf}
              times={looks.current.map(({ at }) => at)}
              series={[{ name: said.memory, values: looks.current.map(({ rss }) => rss) }]}
              format={fileSize}
              height={160}
            />
          )}
      </Card>
      <Facts health={data} />
      <Jobs jobs={data.jobs} />
      <Records records={data.records} />
    </Page>
  );
}

function State({ health }: { readonly health: SystemHealth }) {
  const said = texts();
  const count = problemsOf(health).length;
  return count === 0
    ? <Badge tone="good" icon="success">{said.well}</Badge>
    : <Badge tone="warn" icon="warning">{said.look(count)}</Badge>;
}

function Problems({ health }: { readonly health: SystemHealth }) {
  const problems = problemsOf(health);
  if (problems.length === 0) return null;
  return (
    <Notice tone="warning">
      <ul>{problems.map((problem) => <li key={problem}>{problem}</li>)}</ul>
    </Notice>
  );
}

function FactCard(
  { title, facts }: {
    readonly title: string;
    readonly facts: Readonly<Record<string, ComponentChildren>>;
  },
) {
  return (
    <Card title={title}>
      <dl class="facts">
        {Object.entries(facts).map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd class="number">{value}</dd>
          </Fragment>
        ))}
      </dl>
    </Card>
  );
}

function Facts({ health }: { readonly health: SystemHealth }) {
  const said = texts();
  const { store, journal, process, webhooks, mails, audit, backups } = health;
  const { memory } = process;
  return (
    <div class="columns" style={{ "--column": "20rem" }}>
      <FactCard
        title={said.store}
        facts={{
          [said.engine]: [store.engine, store.version].filter(Boolean).join(" "),
          [said.layout]: store.layout,
          [said.size]: store.size === null ? "–" : fileSize(store.size),
          [said.cache]: said.ofMost(fileSize(store.cache.bytes), fileSize(store.cache.maxBytes)),
          [said.shared]: store.shared ? said.sharedYes : said.sharedNo,
        }}
      />
      <FactCard
        title={said.process}
        facts={{
          [said.started]: <Time at={process.startedAt} />,
          [said.cpu]: duration(process.cpu * 1000),
          [said.heap]: said.ofMost(fileSize(memory.heapUsed), fileSize(memory.heapTotal)),
          [said.external]: fileSize(memory.external),
          "Deno": process.deno,
        }}
      />
      <FactCard
        title={said.journal}
        facts={{
          [said.position]: <span class="mono">{journal.position || "–"}</span>,
          [said.since]: <Time at={journal.since} />,
          [said.kept]: said.days(number(journal.keptDays)),
        }}
      />
      <FactCard
        title={said.backups}
        facts={{
          [said.newest]: backups.newest ? <Time at={backups.newest.at} /> : said.never,
          [said.every]: backups.every > 0 ? duration(backups.every * 1000) : said.byHand,
        }}
      />
      <FactCard
        title={said.audit}
        facts={{
          [said.link]: number(audit.seq),
          [said.checkpoint]: audit.checkpointAt ? <Time at={audit.checkpointAt} /> : said.never,
        }}
      />
      <FactCard
        title={said.mails}
        facts={mails.configured
          ? {
            [said.urgent]: number(mails.urgent),
            [said.notices]: number(mails.notices),
            [said.sent]: number(mails.sent),
            [said.failed]: number(mails.failed),
          }
          : { [said.mailServer]: said.noMail }}
      />
      <FactCard
        title={said.webhooks}
        facts={{
          [said.active]: number(webhooks.active),
          [said.pending]: number(webhooks.pending),
        }}
      />
    </div>
  );
}

function Jobs({ jobs }: Pick<SystemHealth, "jobs">) {
  const said = texts();
  const columns = useMemo((): Column<SystemHealth["jobs"][number]>[] => [
    { id: "name", title: said.job, render: ({ name }) => name },
    { id: "every", title: said.every, render: ({ every }) => duration(every), align: "end" },
    { id: "runs", title: said.runs, render: ({ runs }) => number(runs), align: "end" },
    {
      id: "failures",
      title: said.failures,
      align: "end",
      render: ({ failures }) =>
        failures > 0 ? <Badge tone="bad">{number(failures)}</Badge> : number(0),
    },
    {
      id: "last",
      title: said.last,
      render: ({ running, lastStartedAt }) =>
        running ? <Badge tone="accent">{said.running}</Badge> : <Time at={lastStartedAt} />,
    },
    {
      id: "took",
      title: said.took,
      align: "end",
      render: ({ lastDuration }) => lastDuration === null ? "–" : duration(lastDuration),
    },
  ], [said]);
  return (
    <Card title={said.jobs} flush>
      <Table label={said.jobs} columns={columns} rows={jobs} rowId={({ name }) => name} />
    </Card>
  );
}

function Records({ records }: Pick<SystemHealth, "records">) {
  const said = texts();
  const columns = useMemo((): Column<readonly [string, number]>[] => [
    { id: "collection", title: said.collection, render: ([name]) => name },
    { id: "count", title: said.count, render: ([, count]) => number(count), align: "end" },
  ], [said]);
  const rows = Object.entries(records).sort(([, a], [, b]) => b - a);
  return (
    <Card title={said.records} flush>
      <Table label={said.records} columns={columns} rows={rows} rowId={([name]) => name} />
    </Card>
  );
}

function sum(records: SystemHealth["records"]): number {
  return Object.values(records).reduce((all, count) => all + count, 0);
}
