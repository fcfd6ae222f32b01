// Making an event.
import { createEvent } from "../../../client/mod.ts";
import { Drawer } from "../../parts/drawer.tsx";
import { Form, FormActions, useForm } from "../../parts/form.tsx";
import { moment, wallTime } from "../../parts/zoned.ts";
import type { Day } from "../../state/calendar_days.ts";
import { timeZone } from "../../state/format.ts";
import { refresh } from "../../state/query.ts";
import { useRequestKey } from "../../state/request_key.ts";
import { toast } from "../../state/toasts.ts";
import { EventFields, mistakesIn } from "./event_fields.tsx";
import { type EventValues, requestOf } from "./event_values.ts";
import { texts } from "./texts.ts";

export interface Draft {
  readonly day: Day;
  /** `09:00`; without one, the next whole hour. */
  readonly time?: string;
}

const HOUR = 3_600_000;

export function EventForm(
  { draft, onClose }: { readonly draft: Draft; readonly onClose: () => void },
) {
  const said = texts();
  const keyOf = useRequestKey();
  const form = useForm<EventValues>({
    initial: begun(draft),
    check: mistakesIn,
    async submit(values) {
      const body = requestOf(values);
      await createEvent({ body, headers: { "Idempotency-Key": keyOf(body) } });
      toast({ text: said.created });
      refresh("events");
      onClose();
    },
  });
  return (
    <Drawer
      title={said.create}
      open
      onClose={onClose}
      footer={<FormActions form={form} for="event-form" label={said.create} onCancel={onClose} />}
    >
      <Form form={form} id="event-form">
        <EventFields form={form} />
      </Form>
    </Drawer>
  );
}

function begun({ day, time }: Draft): EventValues {
  const zone = timeZone.peek();
  const next = wallTime(new Date(Date.now() + HOUR).toISOString(), zone).slice(11, 13);
  const start = moment(`${day}T${time ?? `${next}:00`}`, zone);
  return {
    title: "",
    type: "meeting",
    allDay: false,
    start,
    end: new Date(Date.parse(start) + HOUR).toISOString(),
    firstDay: day,
    lastDay: day,
    location: "",
    description: "",
  };
}
