// The columns of the list of users.
import type { User } from "../../../client/mod.ts";
import { Badge } from "../../parts/badge.tsx";
import { Person } from "../../parts/person.tsx";
import type { Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { roleLabel } from "../../state/roles.ts";
import { user as self } from "../../state/session.ts";
import { StatusBadge } from "./statuses.tsx";
import { texts } from "./texts.ts";

export function userColumns(): readonly Column<User>[] {
  const { fields, never, unverified, you } = texts();
  return [
    {
      id: "name",
      title: fields.name,
      sortable: true,
      width: "13rem",
      render: (user) => (
        <span class="user-name">
          <Person name={user.name} src={user.avatar} />
          {user.id === self.value?.id && <Badge>{you}</Badge>}
        </span>
      ),
    },
    {
      id: "email",
      title: fields.email,
      sortable: true,
      width: "12.25rem",
      render: ({ email, emailVerified }) => (
        <span class="user-email">
          <span class="cut">{email}</span>
          {!emailVerified && <Badge tone="warn">{unverified}</Badge>}
        </span>
      ),
    },
    {
      id: "role",
      title: fields.role,
      sortable: true,
      width: "10.5rem",
      render: (user) => <span class="cut">{labelOfRole(user)}</span>,
    },
    {
      id: "status",
      title: fields.status,
      sortable: true,
      width: "7rem",
      render: ({ status }) => <StatusBadge status={status} />,
    },
    {
      id: "department",
      title: fields.department,
      width: "7rem",
      render: ({ department }) => <span class="cut">{department}</span>,
    },
    {
      id: "position",
      title: fields.position,
      width: "10rem",
      hidden: true,
      render: ({ position }) => <span class="cut">{position}</span>,
    },
    {
      id: "createdAt",
      title: fields.createdAt,
      sortable: true,
      width: "8.5rem",
      render: ({ createdAt }) => <Time at={createdAt} />,
    },
    {
      id: "lastLoginAt",
      title: fields.lastLoginAt,
      sortable: true,
      width: "8.5rem",
      render: ({ lastLoginAt }) =>
        lastLoginAt ? <Time at={lastLoginAt} /> : <span class="muted">{never}</span>,
    },
  ];
}

/** What a user's role is called. */
export function labelOfRole({ role, roles }: Pick<User, "role" | "roles">): string {
  return roleLabel(role, roles.find(({ name }) => name === role)?.label);
}
