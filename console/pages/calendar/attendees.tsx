// Who is invited to an event, and what they have answered.
import { useState } from "preact/hooks";
import { addEventAttendees, type Event, removeEventAttendee } from "../../../client/mod.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { Button, IconButton } from "../../parts/button.tsx";
import { PersonPicker, RadioGroup } from "../../parts/field.tsx";
import { Person } from "../../parts/person.tsx";
import { useKeptFocus } from "../../parts/use_kept_focus.ts";
import { findPeople, type PersonFound } from "../../state/people.ts";
import { useMutation } from "../../state/query.ts";
import { can, user } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { mayChange } from "./rights.ts";
import { texts } from "./texts.ts";

type Answer = Event["attendees"][number]["status"];

const TONES: Readonly<Record<Answer, Tone>> = {
  pending: "neutral",
  accepted: "good",
  declined: "bad",
  tentative: "note",
};

export function Attendees({ event }: { readonly event: Event }) {
  const said = texts();
  const { id, attendees, ownerId } = event;
  const [chosen, choose] = useState<readonly PersonFound[]>([]);
  const find = findPeople({ status: "active" });
  const invite = useMutation(
    (people: readonly PersonFound[]) =>
      addEventAttendees({ path: { id }, body: { attendeeIds: people.map(({ value }) => value) } }),
    ["events"],
  );
  const uninvite = useMutation(
    (userId: string) => removeEventAttendee({ path: { id, userId } }),
    ["events"],
  );
  const kept = useKeptFocus<HTMLElement>();
  const present = new Set([ownerId, ...attendees.map((one) => one.id)]);
  const mayInvite = mayChange(event);
  const own = attendees.find((one) => one.id === user.value?.id);
  const answer = useMutation(
    (status: Answer) =>
      addEventAttendees({ path: { id }, body: { userId: user.peek()!.id, status } }),
    ["events", "notifications"],
  );
  const told = (run: () => Promise<unknown>) =>
    run().catch((error: Error) => toast({ kind: "error", text: error.message }));
  return (
    <section class="stack stack-tight" {...kept}>
      {own && can("calendar:update") && (
        <RadioGroup
          label={said.answer}
          segmented
          value={own.status}
          onChange={(status) => void told(() => answer.run(status))}
          options={(["accepted", "tentative", "declined"] as const).map((value) => ({
            value,
            label: said.ownAnswers[value],
          }))}
        />
      )}
      <h3>{said.attendees}</h3>
      <ul class="stack stack-tight">
        {attendees.map((one) => (
          <li key={one.id} class="row row-between attendee">
            <Person name={one.name} src={one.avatar} />
            <span class="row">
              <Badge tone={TONES[one.status]}>{said.answers[one.status]}</Badge>
              {mayInvite && (
                <IconButton
                  icon="x"
                  size="s"
                  label={`${said.uninvite}: ${one.name}`}
                  onClick={() => void told(() => uninvite.run(one.id))}
                />
              )}
            </span>
          </li>
        ))}
      </ul>
      {mayInvite && can("users:view") && (
        <>
          <PersonPicker
            label={said.invite}
            multiple
            value={chosen}
            onChange={(people) => choose(people as readonly PersonFound[])}
            load={async (search, signal) =>
              (await find(search, signal)).filter(({ value }) => !present.has(value))}
          />
          <Button
            icon="user-plus"
            busy={invite.busy}
            disabled={chosen.length === 0}
            onClick={() => void told(() => invite.run(chosen).then(() => choose([])))}
          >
            {said.invite}
          </Button>
        </>
      )}
    </section>
  );
}
