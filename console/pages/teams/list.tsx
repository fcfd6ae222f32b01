// The list of teams.
import { useMemo, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { listTeams, type Team } from "../../../client/mod.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { listed, ListPage, loadList } from "../../parts/list_page.tsx";
import { Person } from "../../parts/person.tsx";
import type { Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useListState } from "../../state/address.ts";
import { number } from "../../state/format.ts";
import { language } from "../../state/language.ts";
import { useQuery } from "../../state/query.ts";
import { can } from "../../state/session.ts";
import { CreateTeam } from "./form.tsx";
import { texts } from "./texts.ts";

/** Faces that stand for the members. */
const FACES = 4;

export default function Teams() {
  const said = texts();
  const { route } = useLocation();
  const state = useListState({ sort: "name" });
  const teams = useQuery(
    ["teams", state.query, state.limit],
    (signal) => loadList(state, (query) => listTeams({ query, signal })),
  );
  const columns = useMemo(columnsOf, [language.value]);
  const [creating, setCreating] = useState(false);
  return (
    <>
      <ListPage<Team>
        list="teams"
        title={said.title}
        state={state}
        {...listed(teams)}
        columns={columns}
        rowId={({ id }) => id}
        rowName={({ name }) => name}
        onOpen={({ id }) => route(`/teams/${id}`)}
        search={said.search}
        create={can("teams:create") ? { label: said.add, run: () => setCreating(true) } : undefined}
        exporting={{ name: "teams" }}
        empty={{ icon: "teams", title: said.empty.title, text: said.empty.text }}
      />
      {creating && <CreateTeam onClose={() => setCreating(false)} />}
    </>
  );
}

function ownerOf({ members, ownerId }: Team) {
  return members.find(({ userId }) => userId === ownerId);
}

function columnsOf(): readonly Column<Team>[] {
  const { fields } = texts();
  return [
    {
      id: "name",
      title: fields.name,
      sortable: true,
      width: "14rem",
      csv: ({ name }) => name,
      render: ({ name, avatar }) => <Person name={name} src={avatar} />,
    },
    {
      id: "description",
      title: fields.description,
      width: "20rem",
      csv: ({ description }) => description,
      render: ({ description }) => <span class="muted cut">{description}</span>,
    },
    {
      id: "owner",
      title: fields.owner,
      width: "13rem",
      csv: (team) => ownerOf(team)?.name,
      render: (team) => {
        const owner = ownerOf(team);
        return owner && <Person name={owner.name} src={owner.avatar} size="s" />;
      },
    },
    {
      id: "members",
      title: fields.members,
      width: "11rem",
      csv: ({ memberCount }) => memberCount,
      render: ({ members, memberCount }) => (
        <span class="row">
          <span class="faces">
            {members.slice(0, FACES).map(({ userId, name, avatar }) => (
              <Avatar key={userId} name={name} src={avatar} size="s" />
            ))}
          </span>
          <span class="number">{number(memberCount)}</span>
        </span>
      ),
    },
    {
      id: "createdAt",
      title: fields.createdAt,
      sortable: true,
      width: "9rem",
      csv: ({ createdAt }) => createdAt,
      render: ({ createdAt }) => <Time at={createdAt} />,
    },
  ];
}
