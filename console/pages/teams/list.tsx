// The list of teams.
import { useSignal } from "@preact/signals";
import { useMemo, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { deleteTeam, listTeams, type Team } from "../../../client/mod.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { type Filter, listed, ListPage, loadList } from "../../parts/list_page.tsx";
import { Person } from "../../parts/person.tsx";
import { NOTHING, type Selection } from "../../parts/selection.ts";
import type { Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useBulkDeeds } from "../../parts/use_bulk_deeds.tsx";
import { useListState } from "../../state/address.ts";
import { alone } from "../../state/batches.ts";
import { number } from "../../state/format.ts";
import { language } from "../../state/language.ts";
import { findPeople } from "../../state/people.ts";
import { useQuery } from "../../state/query.ts";
import { can, user } from "../../state/session.ts";
import { CreateTeam } from "./form.tsx";
import { texts } from "./texts.ts";

/** Faces that stand for the members. */
const FACES = 4;

const FILTERS = ["ownerId", "createdAt_gte", "createdAt_lte"];

const deleteMany = alone((id) => deleteTeam({ path: { id } }));

export default function Teams() {
  const said = texts();
  const { route } = useLocation();
  const state = useListState({ sort: "name", filters: FILTERS });
  const teams = useQuery(
    ["teams", state.query, state.limit],
    (signal) => loadList(state, (query) => listTeams({ query, signal })),
  );
  const columns = useMemo(columnsOf, [language.value]);
  const filters = useMemo(filtersOf, [language.value, user.value]);
  const [creating, setCreating] = useState(false);
  const selection = useSignal<Selection>(NOTHING);
  const deeds = useBulkDeeds(
    selection,
    (id) => teams.data?.rows.find((team) => team.id === id)?.name,
  );
  const deletes = can("teams:delete");
  const remove = (ids: readonly string[]) => {
    const { deleteTitle, deleteText: text, delete: action, deleted: told } = said.bulk;
    const question = { title: deleteTitle(ids.length), text, action, danger: true };
    return deeds.carryOut({ bulk: deleteMany, question, told, touches: ["teams"] }, ids);
  };
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
        selection={deletes ? selection : undefined}
        bulkActions={deletes
          ? (ids) => [
            { label: said.bulk.delete, icon: "trash", danger: true, run: () => remove(ids) },
          ]
          : undefined}
        filters={filters}
        search={said.search}
        create={can("teams:create") ? { label: said.add, run: () => setCreating(true) } : undefined}
        exporting={{ name: "teams", read: (query) => listTeams({ query }) }}
        empty={{ icon: "teams", title: said.empty.title, text: said.empty.text }}
      />
      {creating && <CreateTeam onClose={() => setCreating(false)} />}
      {deeds.dialogs}
    </>
  );
}

function filtersOf(): readonly Filter[] {
  const { fields, filters: said } = texts();
  const filters: Filter[] = [
    { id: "createdAt_gte", label: said.createdFrom, kind: "date" },
    { id: "createdAt_lte", label: said.createdTo, kind: "date" },
  ];
  if (can("users:view")) {
    filters.unshift({ id: "ownerId", label: fields.owner, kind: "person", load: findPeople() });
  }
  return filters;
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
