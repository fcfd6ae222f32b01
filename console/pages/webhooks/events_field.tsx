// Which events a webhook is told of: all, all of a collection, or single ones.
import { useId } from "preact/hooks";
import { Checkbox } from "../../parts/field.tsx";
import { toggled } from "../../state/webhook_events.ts";
import { texts } from "./texts.ts";

/** Collections whose events there are, and what happens to their records: see docs/events.md. */
export const COLLECTIONS = [
  "users",
  "roles",
  "teams",
  "documents",
  "folders",
  "files",
  "messages",
  "events",
  "notifications",
  "tasks",
] as const;
const DEEDS = ["created", "updated", "removed"] as const;

export function EventsField(
  { value, onChange, error }: {
    readonly value: readonly string[];
    readonly onChange: (value: string[]) => void;
    readonly error?: string;
  },
) {
  const said = texts();
  const errorId = useId();
  const all = value.includes("*");
  return (
    <fieldset
      class="stack"
      aria-invalid={error ? "true" : undefined}
      aria-describedby={error && errorId}
    >
      <legend class="strong">{said.events}</legend>
      {error && <p id={errorId} class="field-error">{error}</p>}
      <Checkbox label={said.all} value={all} onChange={() => onChange(toggled(value, "*"))} />
      <div class="event-groups">
        {COLLECTIONS.map((collection) => {
          const whole = value.includes(`${collection}.*`);
          return (
            <div key={collection} class="stack stack-tight">
              <Checkbox
                label={collection}
                value={all || whole}
                disabled={all}
                onChange={() => onChange(toggled(value, `${collection}.*`))}
              />
              {DEEDS.map((deed) => (
                <Checkbox
                  key={deed}
                  label={`${collection}.${deed}`}
                  value={all || whole || value.includes(`${collection}.${deed}`)}
                  disabled={all || whole}
                  onChange={() => onChange(toggled(value, `${collection}.${deed}`))}
                />
              ))}
            </div>
          );
        })}
      </div>
    </fieldset>
  );
}
