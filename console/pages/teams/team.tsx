// One team and its members.
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { deleteTeam, type Team } from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import type { Versioned } from "../../parts/conflict.tsx";
import { confirm } from "../../parts/dialog.tsx";
import { type Action, Menu } from "../../parts/menu.tsx";
import { Page } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { texts as common } from "../../parts/texts.ts";
import { deleting, refresh, useQuery } from "../../state/query.ts";
import { can } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { tried } from "../../state/use_busy.ts";
import { EditTeam, readTeam } from "./form.tsx";
import { AddMembers, HandOver } from "./member_dialogs.tsx";
import { Members } from "./members.tsx";
import { mayChange, mayDelete, mayHandOver } from "./rights.ts";
import { texts } from "./texts.ts";

export default function TeamPage({ params }: { params: Readonly<Record<string, string>> }) {
  const { id = "" } = params;
  const { title, fields } = texts();
  const found = useQuery(["teams", "one", id], (signal) => readTeam(id, signal), { keep: false });
  const back = { label: title, href: "/teams" };
  if (found.data) return <Found key={id} record={found.data} back={back} />;
  return (
    <Page title={title} back={back} narrow>
      {found.error
        ? <Problem error={found.error} retry={() => found.refetch()} busy={found.isFetching} />
        : (
          <Card title={fields.members}>
            <Skeleton lines={8} />
          </Card>
        )}
    </Page>
  );
}

function Found(
  { record, back }: { record: Versioned<Team>; back: { label: string; href: string } },
) {
  const team = record.data;
  const said = texts();
  const { route } = useLocation();
  const [dialog, setDialog] = useState<"add" | "handOver" | null>(null);
  const [editing, setEditing] = useState<Versioned<Team> | null>(null);
  const changes = mayChange(team);
  const more: Action[] = [];
  if (mayHandOver(team) && can("users:view")) {
    more.push({ label: said.team.handOver, icon: "user", run: () => setDialog("handOver") });
  }
  if (mayDelete(team)) {
    more.push({
      label: said.team.delete,
      icon: "trash",
      danger: true,
      parted: more.length > 0,
      run: () => remove(team, route),
    });
  }
  return (
    <Page
      title={team.name}
      back={back}
      text={team.description}
      narrow
      actions={
        <>
          {more.length > 0 && <Menu label={common().more} items={more} align="end" />}
          {changes && (
            <Button icon="edit" onClick={() => setEditing(record)}>{said.team.edit}</Button>
          )}
        </>
      }
    >
      <Card
        title={said.fields.members}
        text={said.memberCount(team.memberCount)}
        actions={changes && can("users:view") && (
          <Button
            kind="primary"
            size="s"
            icon="user-plus"
            onClick={() => setDialog("add")}
          >
            {said.team.addMember}
          </Button>
        )}
      >
        <Members team={team} changes={changes} onLeft={() => route("/teams")} />
      </Card>
      {editing && <EditTeam record={editing} onClose={() => setEditing(null)} />}
      {dialog === "add" && <AddMembers team={team} onClose={() => setDialog(null)} />}
      {dialog === "handOver" && <HandOver record={record} onClose={() => setDialog(null)} />}
    </Page>
  );
}

async function remove({ id, name }: Team, route: (path: string) => void) {
  const { delete: action, deleteTitle, deleteText: text, deleted } = texts().team;
  if (!await confirm({ title: deleteTitle(name), text, action, danger: true })) return;
  await tried(async () => {
    await deleting(["teams", "one", id], () => deleteTeam({ path: { id } }));
    route("/teams");
    refresh("teams");
    toast({ text: deleted(name) });
  });
}
