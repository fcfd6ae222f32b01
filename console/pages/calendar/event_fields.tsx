// The fields of an event.
import {
  DateField,
  DateTimeField,
  RadioGroup,
  Switch,
  TextArea,
  TextField,
} from "../../parts/field.tsx";
import type { FormState } from "../../parts/form.tsx";
import { addDays, type Day } from "../../state/calendar_days.ts";
import { daysBetween } from "../../state/calendar_moves.ts";
import { timeZone } from "../../state/format.ts";
import { type EventValues, isReversed, spanAs } from "./event_values.ts";
import { texts } from "./texts.ts";

/** What is wrong with an event, by field. */
export function mistakesIn(values: EventValues): Partial<Record<keyof EventValues, string>> {
  const said = texts();
  return {
    ...(values.title.trim() ? {} : { title: said.titleMissing }),
    ...(isReversed(values) ? { [values.allDay ? "lastDay" : "end"]: said.endBefore } : {}),
  };
}

export function EventFields({ form }: { readonly form: FormState<EventValues> }) {
  const { fields: said, types } = texts();
  const allDay = form.values.allDay.value;
  /** Whatever begins later ends as much later. */
  const begin = (start: string) => {
    const by = Date.parse(start) - Date.parse(form.values.start.peek());
    const end = new Date(Date.parse(form.values.end.peek()) + by);
    form.set(Number.isNaN(end.getTime()) ? { start } : { start, end: end.toISOString() });
  };
  const beginDay = (firstDay: Day) => {
    const by = daysBetween(form.values.firstDay.peek(), firstDay);
    const lastDay = form.values.lastDay.peek();
    form.set(
      Number.isNaN(by) || !lastDay ? { firstDay } : {
        firstDay,
        lastDay: addDays(lastDay, by),
      },
    );
  };
  const switchDays = (allDay: boolean) => form.set(spanAs(allDay, form.get(), timeZone.peek()));
  return (
    <>
      <TextField {...form.field("title")} label={said.title} required autofocus maxLength={200} />
      <RadioGroup
        {...form.field("type")}
        label={said.type}
        segmented
        options={(["meeting", "task", "reminder", "holiday"] as const).map((value) => ({
          value,
          label: types[value],
        }))}
      />
      <Switch {...form.field("allDay")} label={said.allDay} onChange={switchDays} />
      {allDay
        ? (
          <>
            <DateField
              {...form.field("firstDay")}
              label={said.firstDay}
              required
              onChange={beginDay}
            />
            <DateField {...form.field("lastDay")} label={said.lastDay} required />
          </>
        )
        : (
          <>
            <DateTimeField {...form.field("start")} label={said.start} required onChange={begin} />
            <DateTimeField {...form.field("end")} label={said.end} required />
          </>
        )}
      <TextField {...form.field("location")} label={said.location} />
      <TextArea {...form.field("description")} label={said.description} rows={4} />
    </>
  );
}
