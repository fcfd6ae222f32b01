// What a user may do: the role, and what they hold beside it.
import type { User } from "../../../client/mod.ts";
import { Badge } from "../../parts/badge.tsx";
import { Card } from "../../parts/card.tsx";
import { number } from "../../state/format.ts";
import { permissionName } from "../../state/permission_names.ts";
import { serves } from "../../state/place.ts";
import { can } from "../../state/session.ts";
import { labelOfRole } from "./columns.tsx";
import { ownPermissions } from "./edit_values.ts";
import { detailTexts } from "./detail_texts.ts";
import { texts } from "./texts.ts";

export function AccessCard({ user }: { user: User }) {
  const { detail } = detailTexts();
  const { fields } = texts();
  const own = ownPermissions(user);
  const role = user.roles.find(({ name }) => name === user.role);
  const label = labelOfRole(user);
  const linked = role && serves("roles") && can("roles:view");
  return (
    <Card
      title={detail.access}
      footer={<a href={`/access?userId=${encodeURIComponent(user.id)}`}>{detail.why}</a>}
    >
      <dl class="facts">
        <dt>{fields.role}</dt>
        <dd>{linked ? <a href={`/roles/${role.id}`}>{label}</a> : label}</dd>
        <dt>{detail.permissions}</dt>
        <dd>
          {user.permissions.includes("*")
            ? detail.everything
            : detail.permissionCount(number(user.permissions.length))}
          <Permissions names={role?.permissions ?? []} />
        </dd>
        <dt>{detail.ownPermissions}</dt>
        <dd>
          {own.length === 0
            ? <span class="muted">{detail.none}</span>
            : <Permissions names={own} accent />}
        </dd>
      </dl>
    </Card>
  );
}

function Permissions({ names, accent = false }: { names: readonly string[]; accent?: boolean }) {
  return (
    <ul class="permission-list">
      {names.map((name) => (
        <li key={name}>
          <Badge tone={accent ? "accent" : "neutral"} title={name}>{permissionName(name)}</Badge>
        </li>
      ))}
    </ul>
  );
}
