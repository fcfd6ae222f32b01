// The calendar: by month, by week or as a list; its address says which days.
import { useState } from "preact/hooks";
import { type Event, exportEvents } from "../../../client/mod.ts";
import { Button, ButtonGroup, IconButton } from "../../parts/button.tsx";
import { download } from "../../parts/csv.ts";
import type { Action } from "../../parts/menu.tsx";
import { MoreMenu } from "../../parts/more_menu.tsx";
import { Page } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { useListedKeys } from "../../parts/use_listed_keys.ts";
import { useParameter } from "../../state/address.ts";
import { type Day, windowOf } from "../../state/calendar_days.ts";
import { date, dayRange } from "../../state/format.ts";
import { useQuery } from "../../state/query.ts";
import { can } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { Agenda } from "./agenda.tsx";
import { Details } from "./details.tsx";
import { readEvents } from "./events.ts";
import { type Draft, EventForm } from "./form.tsx";
import { calendarKeys } from "./keys.ts";
import { Month } from "./month.tsx";
import { ImportEvents } from "./import.tsx";
import { texts } from "./texts.ts";
import { useHeldFocus } from "./use_held_focus.ts";
import { useShownDays, type View } from "./use_shown_days.ts";
import { Week } from "./week.tsx";

export default function CalendarPage() {
  const said = texts();
  const range = useShownDays();
  const { zone, today, day, days, setDay, view } = range;
  const { from, to } = windowOf(days, zone);
  const [shown, show] = useParameter("event");
  const [draft, setDraft] = useState<Draft | null>(null);
  const [importing, setImporting] = useState(false);
  const { box, focusDay, remember } = useHeldFocus();
  useListedKeys(() => texts().title, calendarKeys(view));

  const { data, error, refetch } = useQuery(
    ["events", from, to],
    (signal) => readEvents({ from, to }, signal),
  );
  const create = can("calendar:create")
    ? (begun: Day, time?: string) => setDraft({ day: begun, time })
    : undefined;
  const parts = {
    days,
    day,
    today,
    zone,
    onOpen: (event: Event) => show(event.id),
    onMoved: (to: Day) => {
      if (!days.includes(to)) setDay(to);
    },
    onCreate: create,
  };
  return (
    <Page
      title={said.title}
      actions={
        <>
          <ViewChoice view={view} onChange={range.setView} />
          {create && (
            <Button
              kind="primary"
              icon="plus"
              onClick={() => create(day < today ? today : day)}
            >
              {said.create}
            </Button>
          )}
          <TableMenu onImport={create && (() => setImporting(true))} />
        </>
      }
    >
      <div class="stack calendar-box" ref={box} onFocusIn={remember}>
        <Steps range={range} />
        {error && !data && <Problem error={error} retry={refetch} />}
        {!error && !data && <Skeleton rows={12} />}
        {data && view === "month" && (
          <Month
            {...parts}
            events={data}
            onDay={(to) => {
              focusDay(to);
              setDay(to);
            }}
          />
        )}
        {data && view === "week" && <Week {...parts} events={data} />}
        {data && view === "agenda" && <Agenda {...parts} events={data} />}
        {shown !== "" && <Details key={shown} id={shown} onClose={() => show("")} />}
        {draft && <EventForm draft={draft} onClose={() => setDraft(null)} />}
        {importing && <ImportEvents zone={zone} onClose={() => setImporting(false)} />}
      </div>
    </Page>
  );
}

/** The buttons that lead to other days, and which ones are shown. */
function Steps({ range }: { range: ReturnType<typeof useShownDays> }) {
  const said = texts();
  const { view, day, days, today, setDay, step } = range;
  return (
    <div class="toolbar">
      <Button onClick={() => setDay(today)}>{said.today}</Button>
      <IconButton icon="chevron-left" label={said.before[view]} onClick={() => step(-1)} />
      <IconButton icon="chevron-right" label={said.after[view]} onClick={() => step(1)} />
      <h2 class="calendar-title" tabIndex={-1} aria-live="polite">
        {titleOf(view, day, days)}
      </h2>
    </div>
  );
}

function titleOf(view: View, day: Day, days: readonly Day[]): string {
  // Noon in UTC is the same day in the zone of every calendar that counts months.
  if (view === "month") return date(`${day.slice(0, 7)}-15T12:00:00Z`, "month");
  return dayRange(days[0]!, days.at(-1)!);
}

function ViewChoice({ view, onChange }: { view: View; onChange: (view: View) => void }) {
  const said = texts();
  return (
    <ButtonGroup label={said.view}>
      {(["month", "week", "agenda"] as const).map((one) => (
        <Button
          key={one}
          aria-pressed={one === view}
          onClick={() => onChange(one)}
        >
          {said.views[one]}
        </Button>
      ))}
    </ButtonGroup>
  );
}

/** @param props.onImport Absent where one may not make events. */
function TableMenu({ onImport }: { onImport: (() => void) | undefined }) {
  const said = texts();
  const items: Action[] = [{ label: said.export, icon: "download", run: exportAll }];
  if (onImport) items.push({ label: said.import.action, icon: "upload", run: onImport });
  return <MoreMenu items={items} />;
}

async function exportAll(): Promise<void> {
  try {
    const csv = await exportEvents({ parseAs: "blob" });
    download("events.csv", csv as unknown as Blob);
    toast({ text: texts().exported, kind: "info" });
  } catch (error) {
    toast({ kind: "error", text: (error as Error).message });
  }
}
