// The dashboard: figures, charts, tasks and the day of whoever looks.
import type { Child } from "hono/jsx";
import type { z } from "zod";
import type { Event } from "../models/calendar.ts";
import type { pieSlice, PublicStats, salesPoint, Task, visitPoint } from "../models/dashboard.ts";
import type { Principal } from "../services/access/access.ts";
import { AreaChart, BarChart, Donut } from "./charts.tsx";
import { AppPage, type Assets } from "./layout.tsx";

export interface DashboardData {
  readonly now: Date;
  readonly stats: PublicStats;
  readonly visits: readonly z.infer<typeof visitPoint>[];
  readonly sales: readonly z.infer<typeof salesPoint>[];
  readonly files: readonly z.infer<typeof pieSlice>[];
  /** Tasks that are not done. */
  readonly tasks: readonly Task[];
  /** Events of today, in UTC. */
  readonly events: readonly Event[];
}

const UTC = { timeZone: "UTC" } as const;
const whole = new Intl.NumberFormat("en");
const money = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const longDate = new Intl.DateTimeFormat("en", { ...UTC, dateStyle: "full" });
const shortDate = new Intl.DateTimeFormat("en", { ...UTC, day: "numeric", month: "short" });
const monthName = new Intl.DateTimeFormat("en", { ...UTC, month: "short" });
const clock = new Intl.DateTimeFormat("en-GB", { ...UTC, hour: "2-digit", minute: "2-digit" });

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

/** Bytes for a person: `1.5 MiB`. */
export function bytes(size: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(size, 1)) / 10), UNITS.length - 1);
  return `${(size / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${UNITS[power]}`;
}

function Figure({ label, value, growth }: { label: string; value: string; growth?: number }) {
  const direction = !growth ? "same" : growth > 0 ? "up" : "down";
  return (
    <div class="card figure">
      <dt>{label}</dt>
      <dd>
        <span class="value">{value}</span>
        {growth !== undefined && (
          <span class={`growth ${direction}`}>
            {direction === "same" ? "No change" : `${growth > 0 ? "▲" : "▼"} ${Math.abs(growth)}%`}
            <span class="hidden">against last month</span>
          </span>
        )}
      </dd>
    </div>
  );
}

function Panel(
  { id, title, note, size, children }: {
    id: string;
    title: string;
    note?: string;
    /** Columns that it spans: more than one, or all. */
    size?: "wide" | "full";
    children: Child;
  },
) {
  return (
    <section class={size ? `card panel ${size}` : "card panel"} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {note && <p class="muted">{note}</p>}
      </header>
      {children}
    </section>
  );
}

function Empty({ children }: { children: Child }) {
  return <p class="empty">{children}</p>;
}

const PRIORITY = { low: "Low", medium: "Medium", high: "High", urgent: "Urgent" } as const;

function TaskList({ tasks }: { tasks: readonly Task[] }) {
  return (
    <ul class="rows">
      {tasks.map((task) => (
        <li>
          <span class="grow">{task.title}</span>
          {task.dueDate && <span class="muted">{shortDate.format(new Date(task.dueDate))}</span>}
          <span class={`badge ${task.priority}`}>{PRIORITY[task.priority]}</span>
        </li>
      ))}
    </ul>
  );
}

function Schedule({ events }: { events: readonly Event[] }) {
  return (
    <ul class="rows">
      {events.map((event) => (
        <li>
          <span class="time">{event.allDay ? "All day" : clock.format(new Date(event.start))}</span>
          <span class="grow">{event.title}</span>
          {event.location && <span class="muted">{event.location}</span>}
        </li>
      ))}
    </ul>
  );
}

const capital = (text: string) => text[0]!.toUpperCase() + text.slice(1);

function Charts({ visits, sales, files }: Pick<DashboardData, "visits" | "sales" | "files">) {
  const visitPoints = visits.map(({ date, visits }) => ({
    label: shortDate.format(new Date(date)),
    value: visits,
  }));
  const salesPoints = sales.map(({ month, sales }) => ({
    label: monthName.format(new Date(`${month}-01`)),
    value: sales,
  }));
  return (
    <>
      <Panel id="visits" title="Visits" note={`Last ${visits.length} days`} size="wide">
        <AreaChart title="Visits a day" unit="Visits" points={visitPoints} />
      </Panel>
      <Panel id="files" title="Files" note="By type">
        {files.length > 0
          ? (
            <Donut
              title="Files by type"
              slices={files.map(({ name, value, color }) => ({
                label: capital(name),
                value,
                color,
              }))}
            />
          )
          : <Empty>No files yet.</Empty>}
      </Panel>
      <Panel id="sales" title="Sales" note={`Last ${sales.length} months`} size="wide">
        {sales.some((point) => point.sales > 0)
          ? (
            <BarChart
              title="Sales a month"
              unit="Sales"
              points={salesPoints}
              format={money.format}
            />
          )
          : <Empty>No sales recorded yet.</Empty>}
      </Panel>
    </>
  );
}

export function DashboardPage(
  { assets, principal, data }: { assets: Assets; principal: Principal; data: DashboardData },
) {
  const { stats, tasks, events } = data;
  return (
    <AppPage assets={assets} title="Dashboard" here="/dashboard" principal={principal}>
      <div class="page-head">
        <h1>Dashboard</h1>
        <p class="muted">{longDate.format(data.now)}</p>
      </div>
      <dl class="figures-grid">
        <Figure label="Users" value={whole.format(stats.totalUsers)} growth={stats.userGrowth} />
        <Figure
          label="Revenue"
          value={money.format(stats.totalRevenue)}
          growth={stats.revenueGrowth}
        />
        <Figure label="Orders" value={whole.format(stats.totalOrders)} growth={stats.orderGrowth} />
        <Figure label="Conversion" value={`${stats.conversionRate}%`} growth={stats.rateGrowth} />
        <Figure label="Documents" value={whole.format(stats.totalDocuments)} />
        <Figure label="Storage" value={bytes(stats.storageUsed)} />
      </dl>
      <div class="panels">
        <Charts {...data} />
        <Panel id="today" title="Your day" note="Times in UTC">
          {events.length > 0
            ? <Schedule events={events} />
            : <Empty>Nothing scheduled today.</Empty>}
        </Panel>
        <Panel
          id="tasks"
          size="full"
          title="Open tasks"
          note={`${whole.format(stats.pendingTasks)} pending`}
        >
          {tasks.length > 0 ? <TaskList tasks={tasks} /> : <Empty>Nothing to do.</Empty>}
        </Panel>
      </div>
    </AppPage>
  );
}
