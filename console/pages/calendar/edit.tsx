// Changing an event; who is slower than somebody else chooses between both.
import { type Event, updateEvent } from "../../../client/mod.ts";
import {
  ConflictDialog,
  type ConflictField,
  useVersionedForm,
  type Versioned,
} from "../../parts/conflict.tsx";
import { Drawer } from "../../parts/drawer.tsx";
import { Form, FormActions } from "../../parts/form.tsx";
import { texts as common } from "../../parts/texts.ts";
import { date, timeZone } from "../../state/format.ts";
import { refresh } from "../../state/query.ts";
import { toast } from "../../state/toasts.ts";
import { EventFields, mistakesIn } from "./event_fields.tsx";
import { type EventValues, requestOf, valuesOf } from "./event_values.ts";
import { texts } from "./texts.ts";

export function Edit(
  { record, read, onClose }: {
    readonly record: Versioned<Event>;
    /** The event as it is now. */
    readonly read: () => Promise<Versioned<Event>>;
    readonly onClose: () => void;
  },
) {
  const said = texts();
  const { id } = record.data;
  const edited = useVersionedForm({
    record,
    valuesOf: (event: Event) => valuesOf(event, timeZone.peek()),
    read,
    check: mistakesIn,
    async save(values, etag) {
      await updateEvent({ path: { id }, body: requestOf(values), headers: { "If-Match": etag } });
      toast({ text: said.saved });
      refresh("events");
      onClose();
    },
  });
  return (
    <Drawer
      title={said.editTitle}
      open
      onClose={onClose}
      footer={<FormActions form={edited.form} for="event-form" onCancel={onClose} whenDirty />}
    >
      <Form form={edited.form} id="event-form">
        <EventFields form={edited.form} />
      </Form>
      <ConflictDialog edited={edited} fields={fieldsOf(edited.conflict.value)} />
    </Drawer>
  );
}

/** What two versions of an event are compared by: whole days by their dates, others by their times. */
function fieldsOf(
  conflict: { readonly mine: EventValues; readonly theirs: EventValues } | null,
): readonly ConflictField<EventValues>[] {
  const { fields, types } = texts();
  const { yes, no } = common();
  const whole = conflict?.mine.allDay && conflict.theirs.allDay;
  const span = whole ? ["firstDay", "lastDay"] as const : ["start", "end"] as const;
  const names = ["title", "type", "allDay", ...span, "location", "description"] as const;
  const show = (name: (typeof names)[number], values: EventValues): string => {
    if (name === "type") return types[values.type];
    if (name === "allDay") return values.allDay ? yes : no;
    if (name === "firstDay" || name === "lastDay") return date(values[name]);
    if (name !== "start" && name !== "end") return values[name];
    const day = name === "start" ? values.firstDay : values.lastDay;
    return values.allDay ? date(day) : date(values[name], "dateTime");
  };
  return names.map((name) => ({
    name,
    label: fields[name],
    ...(name === "title" || name === "location" || name === "description"
      ? {}
      : { show: (_value: unknown, values: EventValues) => show(name, values) }),
  }));
}
