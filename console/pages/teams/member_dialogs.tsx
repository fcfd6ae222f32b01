// Adding people to a team, and giving it another owner.
import { addTeamMember, type Team, updateTeam } from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import type { Versioned } from "../../parts/conflict.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { PersonPicker, RadioGroup } from "../../parts/field.tsx";
import { Form, useForm } from "../../parts/form.tsx";
import { texts as common } from "../../parts/texts.ts";
import { findPeople, type PersonFound } from "../../state/people.ts";
import { refresh } from "../../state/query.ts";
import { toast } from "../../state/toasts.ts";
import { texts } from "./texts.ts";

const FORM = "team-people";

type GivenRole = "admin" | "member";

export function AddMembers({ team, onClose }: { team: Team; onClose: () => void }) {
  const { team: said, roles, required } = texts();
  const present = new Set(team.members.map(({ userId }) => userId));
  const find = findPeople({ status: "active" });
  const form = useForm({
    initial: { userId: [] as readonly PersonFound[], role: "member" as GivenRole },
    check: ({ userId }) => ({ userId: userId.length > 0 ? undefined : required }),
    async submit({ userId: people, role }) {
      for (const [at, person] of people.entries()) {
        try {
          await addTeamMember({ path: { id: team.id }, body: { userId: person.value, role } });
        } catch (error) {
          // Those before are members already.
          form.set({ userId: people.slice(at) });
          throw error;
        } finally {
          refresh("teams");
        }
      }
      toast({ text: said.added(people.length) });
      onClose();
    },
  });
  return (
    <Dialog
      open
      title={said.addTitle(team.name)}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{common().cancel}</Button>
          <Button type="submit" form={FORM} kind="primary" busy={form.busy.value}>
            {said.addSubmit}
          </Button>
        </>
      }
    >
      <Form form={form} id={FORM} label={said.addTitle(team.name)}>
        <PersonPicker
          label={said.people}
          hint={said.peopleText}
          multiple
          required
          autofocus
          load={async (search, signal) =>
            (await find(search, signal)).filter(({ value }) => !present.has(value))}
          {...form.field("userId")}
          onChange={(people) => form.set({ userId: people as readonly PersonFound[] })}
        />
        <RadioGroup<GivenRole>
          label={texts().fields.role}
          hint={said.roleText}
          segmented
          options={[
            { value: "member", label: roles.member },
            { value: "admin", label: roles.admin },
          ]}
          {...form.field("role")}
        />
      </Form>
    </Dialog>
  );
}

export function HandOver({ record, onClose }: { record: Versioned<Team>; onClose: () => void }) {
  const { team: said, required } = texts();
  const { id, name, ownerId } = record.data;
  const find = findPeople({ status: "active" });
  const form = useForm({
    initial: { ownerId: [] as readonly PersonFound[] },
    check: ({ ownerId }) => ({ ownerId: ownerId.length > 0 ? undefined : required }),
    async submit({ ownerId: [next] }) {
      await updateTeam({
        path: { id },
        body: { ownerId: next!.value },
        headers: { "If-Match": record.etag },
      });
      refresh("teams");
      toast({ text: said.handedOver(next!.label) });
      onClose();
    },
  });
  return (
    <Dialog
      open
      title={said.handOverTitle(name)}
      text={said.handOverText}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{common().cancel}</Button>
          <Button type="submit" form={FORM} kind="primary" busy={form.busy.value}>
            {said.handOver}
          </Button>
        </>
      }
    >
      <Form form={form} id={FORM} label={said.handOverTitle(name)}>
        <PersonPicker
          label={said.newOwner}
          required
          autofocus
          load={async (search, signal) =>
            (await find(search, signal)).filter(({ value }) => value !== ownerId)}
          {...form.field("ownerId")}
          onChange={(people) => form.set({ ownerId: people as readonly PersonFound[] })}
        />
      </Form>
    </Dialog>
  );
}
