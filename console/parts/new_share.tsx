// Sharing something with somebody more: people, or a team.
import { listTeams } from "../../client/mod.ts";
import { findPeople, type PersonFound } from "../state/people.ts";
import { serves } from "../state/place.ts";
import { can } from "../state/session.ts";
import { toast } from "../state/toasts.ts";
import { Button } from "./button.tsx";
import { type Choice, Combobox, DateTimeField, PersonPicker, RadioGroup } from "./field.tsx";
import { Form, useForm } from "./form.tsx";
import { Icon } from "./icon.tsx";
import { texts } from "./sharing_texts.ts";

export type ShareLevel = "read" | "comment" | "edit";

/** What the API takes; sharing again with the same changes level and end. */
export interface ShareAsked {
  readonly userIds?: string[];
  readonly teamId?: string;
  readonly permission: ShareLevel;
  readonly expiresAt?: string | null;
}

export const LEVELS: readonly ShareLevel[] = ["read", "comment", "edit"];

export function levelChoices(levels: readonly ShareLevel[]) {
  const said = texts().levels;
  return LEVELS.filter((level) => levels.includes(level))
    .map((value) => ({ value, label: said[value] }));
}

export interface NewShareProps {
  /** Ids of the people whom it cannot be shared with, or is shared with already. */
  readonly taken: readonly string[];
  readonly levels: readonly ShareLevel[];
  readonly give: (asked: ShareAsked) => Promise<unknown>;
}

interface Values {
  readonly kind: "people" | "team";
  readonly userIds: readonly PersonFound[];
  readonly teamId: readonly Choice[];
  readonly permission: ShareLevel;
  /** ISO 8601, or empty. */
  readonly expiresAt: string;
}

const NEW: Values = { kind: "people", userIds: [], teamId: [], permission: "read", expiresAt: "" };

const findsTeams = () => serves("teams") && can("teams:view");

/** Nothing where one can find neither people nor teams. */
export function NewShare({ taken, levels, give }: NewShareProps) {
  const said = texts();
  const form = useForm<Values>({
    initial: NEW,
    check: ({ kind, userIds, teamId }) => ({
      userIds: kind === "people" && userIds.length === 0 ? said.needed : undefined,
      teamId: kind === "team" && teamId.length === 0 ? said.needed : undefined,
    }),
    async submit({ kind, userIds, teamId, permission, expiresAt }) {
      const whom = kind === "people"
        ? { userIds: userIds.map(({ value }) => value) }
        : { teamId: teamId[0]!.value };
      await give({ ...whom, permission, expiresAt: expiresAt || null });
      const names = (kind === "people" ? userIds : teamId).map(({ label }) => label);
      toast({ text: said.shared(names.length === 1 ? names[0]! : said.people(names.length)) });
      form.reset({ ...NEW, kind });
    },
  });
  const teams = findsTeams();
  if (!teams && !can("users:view")) return null;
  const kind = form.field("kind"), people = form.field("userIds");
  return (
    <Form form={form} label={said.add} guarded={false}>
      {teams && (
        <RadioGroup<Values["kind"]>
          {...kind}
          label={said.kind}
          segmented
          options={[
            { value: "people", label: said.withPeople },
            { value: "team", label: said.team },
          ]}
        />
      )}
      {kind.value === "people"
        ? (
          <PersonPicker
            {...people}
            label={said.withPeople}
            hint={said.peopleHint}
            multiple
            required
            autofocus
            load={async (search, signal) =>
              (await findOthers(search, signal)).filter(({ value }) => !taken.includes(value))}
            onChange={(chosen) => people.onChange(chosen as readonly PersonFound[])}
          />
        )
        : (
          <Combobox
            {...form.field("teamId")}
            label={said.team}
            required
            load={findTeams}
            mark={() => <Icon name="teams" />}
          />
        )}
      <div class="columns pair">
        <RadioGroup<ShareLevel>
          {...form.field("permission")}
          label={said.level}
          segmented
          options={levelChoices(levels)}
        />
        <DateTimeField
          {...form.field("expiresAt")}
          label={said.expiry}
          hint={said.expiryHint}
          min={new Date().toISOString()}
        />
      </div>
      <div class="row">
        <Button type="submit" kind="primary" busy={form.busy.value}>{said.add}</Button>
      </div>
    </Form>
  );
}

/** Everybody for those who may look for people; else the people of one's teams. */
async function findOthers(search: string, signal: AbortSignal): Promise<readonly PersonFound[]> {
  if (can("users:view")) return await findPeople({ status: "active" })(search, signal);
  const { data: teams } = await listTeams({ query: { limit: 100, sort: "name" }, signal });
  const members = new Map(
    teams.flatMap(({ members }) => members).map((member) => [member.userId, member]),
  );
  return [...members.values()]
    .filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()))
    .map(({ userId, name, email = "", avatar }) => ({
      value: userId,
      label: name,
      description: email,
      ...(avatar ? { src: avatar } : {}),
    }));
}

async function findTeams(search: string, signal: AbortSignal): Promise<readonly Choice[]> {
  const query = { limit: 20, sort: "name", ...(search ? { search } : {}) };
  const { data } = await listTeams({ query, signal });
  return data.map(({ id, name, description }) => ({
    value: id,
    label: name,
    ...(description ? { description } : {}),
  }));
}
