// One event: when and where, who is invited, one's own reminder; changed and deleted here.
import { useState } from "preact/hooks";
import {
  deleteEvent,
  deleteEventReminder,
  type Event,
  setEventReminder,
} from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { confirm } from "../../parts/dialog.tsx";
import { Drawer } from "../../parts/drawer.tsx";
import { Select } from "../../parts/field.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { date, timeZone } from "../../state/format.ts";
import { serves } from "../../state/place.ts";
import { deleting, refresh, useQuery } from "../../state/query.ts";
import { can } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { Attendees } from "./attendees.tsx";
import { Edit } from "./edit.tsx";
import { valuesOf } from "./event_values.ts";
import { readEvent } from "./events.ts";
import { mayChange, mayDelete } from "./rights.ts";
import { texts } from "./texts.ts";

export function Details({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const said = texts();
  const [editing, setEditing] = useState(false);
  const { data, error, refetch } = useQuery(
    ["events", "one", id],
    (signal) => readEvent(id, signal),
    { keep: false },
  );
  if (editing && data) {
    return (
      <Edit
        record={data}
        read={() => readEvent(id)}
        onClose={() => setEditing(false)}
      />
    );
  }
  const remove = async () => {
    const question = { title: said.deleteTitle, text: said.deleteText, action: said.delete };
    if (!await confirm({ ...question, danger: true })) return;
    const gone = () => deleting(["events", "one", id], () => deleteEvent({ path: { id } }));
    if (!await told(gone)) return;
    toast({ text: said.deleted });
    refresh("events");
    onClose();
  };
  return (
    <Drawer
      title={data?.data.title ?? said.title}
      open
      onClose={onClose}
      footer={data && (
        <>
          {mayDelete(data.data) && (
            <Button icon="trash" onClick={() => void remove()}>{said.delete}</Button>
          )}
          {mayChange(data.data) && (
            <Button
              kind="primary"
              icon="edit"
              onClick={() => setEditing(true)}
            >
              {said.edit}
            </Button>
          )}
        </>
      )}
    >
      {error && <Problem error={error} retry={refetch} compact />}
      {!data && !error && <Skeleton rows={6} />}
      {data && <Facts event={data.data} />}
    </Drawer>
  );
}

/** Says what went wrong. @returns Whether it worked. */
async function told(run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run();
    return true;
  } catch (error) {
    toast({ kind: "error", text: (error as Error).message });
    return false;
  }
}

function Facts({ event }: { readonly event: Event }) {
  const said = texts();
  const { fields, types } = said;
  const { firstDay, lastDay } = valuesOf(event, timeZone.value);
  const { start, end, allDay, type, location, description } = event;
  return (
    <div class="stack">
      <dl class="facts">
        <dt>{fields.start}</dt>
        <dd>{allDay ? date(firstDay) : date(start, "dateTime")}</dd>
        <dt>{fields.end}</dt>
        <dd>{allDay ? date(lastDay) : date(end, "dateTime")}</dd>
        <dt>{fields.type}</dt>
        <dd>{types[type]}</dd>
        {location && (
          <>
            <dt>{fields.location}</dt>
            <dd>{location}</dd>
          </>
        )}
      </dl>
      {description && <p class="event-description">{description}</p>}
      {serves("reminders") && can("calendar:update") && <Reminder event={event} />}
      {serves("attendees") && <Attendees event={event} />}
    </div>
  );
}

function Reminder({ event }: { readonly event: Event }) {
  const said = texts();
  const { id, reminders } = event;
  const present = reminders[0]?.minutesBefore;
  const set = async (value: string) => {
    await told(() =>
      value === "none"
        ? deleteEventReminder({ path: { id } })
        : setEventReminder({ path: { id }, body: { minutesBefore: Number(value) } })
    );
    refresh("events");
  };
  const known = Object.keys(said.reminders).sort((a, b) => (Number(a) || 0) - (Number(b) || 0));
  return (
    <Select
      label={said.reminder}
      value={present === undefined ? "none" : String(present)}
      onChange={(value) => void set(value)}
      options={known.map((value) => ({ value, label: said.reminders[value]! }))}
    />
  );
}
