// One user: who they are, what they may do, where they are signed in, and what can be done about all that.
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import type { User } from "../../../client/mod.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import type { Versioned } from "../../parts/conflict.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Page } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { texts as common } from "../../parts/texts.ts";
import { Time } from "../../parts/time.tsx";
import { useQuery } from "../../state/query.ts";
import { can, user as self } from "../../state/session.ts";
import { AccessCard } from "./access_card.tsx";
import { ActivityCard } from "./activity_card.tsx";
import { EditUser, readUser } from "./edit.tsx";
import { KeysCard } from "./keys_card.tsx";
import { RemoveUser } from "./remove.tsx";
import { SessionsCard } from "./sessions_card.tsx";
import { StatusBadge } from "./statuses.tsx";
import { detailTexts } from "./detail_texts.ts";
import { texts } from "./texts.ts";
import { userActions } from "./user_actions.ts";

export default function UserPage({ params }: { params: Readonly<Record<string, string>> }) {
  const { id = "" } = params;
  const { title, fields } = texts();
  const found = useQuery(["users", "one", id], (signal) => readUser(id, signal), { keep: false });
  const back = { label: title, href: "/users" };
  if (found.data) return <Found key={id} record={found.data} back={back} />;
  return (
    <Page title={title} back={back}>
      {found.error
        ? <Problem error={found.error} retry={() => found.refetch()} busy={found.isFetching} />
        : (
          <div class="person-page">
            <Card title={fields.name}>
              <Skeleton lines={8} />
            </Card>
            <Card title={fields.role}>
              <Skeleton lines={4} />
            </Card>
          </div>
        )}
    </Page>
  );
}

function Found(
  { record, back }: { record: Versioned<User>; back: { label: string; href: string } },
) {
  const user = record.data;
  const { detail } = detailTexts();
  const { you } = texts();
  const { route } = useLocation();
  // What is edited stays as it was read, whatever others do meanwhile: saving it finds out.
  const [editing, setEditing] = useState<Versioned<User> | null>(null);
  const [removing, setRemoving] = useState(false);
  const own = user.id === self.value?.id;
  const actions = userActions(user, () => setRemoving(true));
  return (
    <Page
      title={user.name}
      back={back}
      mark={
        <>
          <StatusBadge status={user.status} />
          {own && <Badge>{you}</Badge>}
        </>
      }
      text={user.email}
      actions={
        <>
          {actions.length > 0 && <Menu label={common().more} items={actions} align="end" />}
          {can("users:update") && (
            <Button
              kind="primary"
              icon="edit"
              onClick={() => setEditing(record)}
            >
              {detail.edit}
            </Button>
          )}
        </>
      }
    >
      <div class="person-page">
        <Profile user={user} />
        <AccessCard user={user} />
        {can("users:update") && <SessionsCard user={user} />}
        {can("users:update") && <KeysCard user={user} />}
        {can("audit:view") && <ActivityCard user={user} />}
      </div>
      {editing && <EditUser record={editing} onClose={() => setEditing(null)} />}
      {removing && (
        <RemoveUser
          user={user}
          onClose={() => setRemoving(false)}
          onRemoved={() => route("/users")}
        />
      )}
    </Page>
  );
}

function Profile({ user }: { user: User }) {
  const { detail } = detailTexts();
  const { fields, never, unverified } = texts();
  const facts: readonly (readonly [string, string | undefined])[] = [
    [fields.department, user.department],
    [fields.position, user.position],
    [fields.username, user.username],
    [fields.phone, user.phone],
    [fields.timeZone, user.timeZone?.replaceAll("_", " ")],
    [fields.bio, user.bio],
  ];
  return (
    <Card title={detail.profile}>
      <div class="profile">
        <Avatar name={user.name} src={user.avatar} size="xl" />
        <dl class="facts">
          <dt>{fields.email}</dt>
          <dd>
            <a href={`mailto:${user.email}`}>{user.email}</a>
            {!user.emailVerified && (
              <>
                <Badge tone="warn">{unverified}</Badge>
              </>
            )}
          </dd>
          {facts.map(([label, value]) =>
            value && (
              <>
                <dt>{label}</dt>
                <dd>{value}</dd>
              </>
            )
          )}
          <dt>{fields.createdAt}</dt>
          <dd>
            <Time at={user.createdAt} style="dateTime" />
          </dd>
          <dt>{fields.updatedAt}</dt>
          <dd>
            <Time at={user.updatedAt} />
          </dd>
          <dt>{fields.lastLoginAt}</dt>
          <dd>{user.lastLoginAt ? <Time at={user.lastLoginAt} /> : never}</dd>
        </dl>
      </div>
    </Card>
  );
}
