// The members of a team, with what each may do there.
import {
  addTeamMember,
  removeTeamMember,
  type Team,
  updateTeamMember,
} from "../../../client/mod.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { changeShown } from "../../parts/change_shown.ts";
import { confirm } from "../../parts/dialog.tsx";
import { Select } from "../../parts/field.tsx";
import { Person } from "../../parts/person.tsx";
import { Time } from "../../parts/time.tsx";
import { refresh } from "../../state/query.ts";
import { can, user as self } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { useBusy } from "../../state/use_busy.ts";
import { readTeam } from "./form.tsx";
import { texts } from "./texts.ts";

type Member = Team["members"][number];
/** Owners change by handing the team over. */
type GivenRole = Exclude<Member["role"], "owner">;

const ORDER: Readonly<Record<Member["role"], number>> = { owner: 0, admin: 1, member: 2 };

interface MembersProps {
  team: Team;
  /** Whether one may change them. */
  changes: boolean;
  /** Called when one has left oneself. */
  onLeft: () => void;
}

export function Members({ team, changes, onLeft }: MembersProps) {
  const members = team.members.toSorted((one, other) =>
    ORDER[one.role] - ORDER[other.role] || one.name.localeCompare(other.name)
  );
  return (
    <ul class="items">
      {members.map((member) => (
        <MemberItem
          key={member.userId}
          team={team}
          member={member}
          changes={changes}
          onLeft={onLeft}
        />
      ))}
    </ul>
  );
}

function MemberItem({ team, member, changes, onLeft }: MembersProps & { member: Member }) {
  const { team: said, roles, fields } = texts();
  const { name, userId, role } = member;
  const own = userId === self.value?.id;
  const { busy, setRole, remove } = useDeeds(team, member, onLeft);
  return (
    <li class="item">
      <div class="item-words">
        <span class="row">
          <Person
            name={name}
            src={member.avatar}
            detail={member.email}
            href={can("users:view") ? `/users/${userId}` : undefined}
          />
          {own && <Badge>{said.you}</Badge>}
        </span>
      </div>
      <span class="muted small only-roomy">
        {fields.joinedAt} <Time at={member.joinedAt} />
      </span>
      <span class="row">
        {changes && role !== "owner"
          ? (
            <Select<GivenRole>
              label={said.roleOf(name)}
              hideLabel
              size="s"
              disabled={busy}
              options={[
                { value: "admin", label: roles.admin },
                { value: "member", label: roles.member },
              ]}
              value={role}
              onChange={(next) => void setRole(next)}
            />
          )
          : <Badge tone={role === "owner" ? "accent" : "neutral"}>{roles[role]}</Badge>}
        {role !== "owner" && (changes || own && can("teams:update")) && (
          <Button
            size="s"
            busy={busy}
            aria-label={own ? said.leaveTitle(team.name) : said.removeOf(name)}
            onClick={() => void remove()}
          >
            {own ? said.leave : said.remove}
          </Button>
        )}
      </span>
    </li>
  );
}

/** What is done with a member: another role, or none. */
function useDeeds(team: Team, { name, userId, role }: Member, onLeft: () => void) {
  const { team: said, roles } = texts();
  const own = userId === self.value?.id;
  const { busy, run } = useBusy();
  const path = { id: team.id, userId };

  const setRole = (next: GivenRole) =>
    run(async () => {
      const roleIn = ({ members }: Team) => members.find((one) => one.userId === userId)?.role;
      const changed = await changeShown({
        read: () => readTeam(team.id),
        // Who is gone is told of by the server.
        isAsShown: (now) => (roleIn(now) ?? role) === role,
        valueOf: (now) => roles[roleIn(now) ?? role],
        save: (etag) =>
          updateTeamMember({ path, body: { role: next }, headers: { "If-Match": etag } }),
      });
      refresh("teams");
      if (changed) toast({ text: said.roleSet(name, roles[next]) });
    });
  const remove = () =>
    run(async () => {
      const title = own ? said.leaveTitle(team.name) : said.removeTitle(name);
      const action = own ? said.leave : said.remove;
      if (!await confirm({ title, text: said.removeText, action, danger: true })) return;
      await removeTeamMember({ path });
      if (own) onLeft();
      refresh("teams");
      toast({
        text: own ? said.left : said.removed(name),
        ...(own ? {} : { action: { label: said.putBack, run: putBack } }),
      });
    });
  const putBack = () =>
    run(async () => {
      await addTeamMember({ path: { id: team.id }, body: { userId, role: role as GivenRole } });
      refresh("teams");
    });
  return { busy, setRole, remove };
}
