// Who has a role.
import { listUsers, type Role } from "../../../client/mod.ts";
import { Card } from "../../parts/card.tsx";
import { Person } from "../../parts/person.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { number } from "../../state/format.ts";
import { useQuery } from "../../state/query.ts";
import { can } from "../../state/session.ts";
import { texts } from "./texts.ts";

/** People who are shown; the rest is a list of its own. */
const SHOWN = 8;

export function Holders({ role: { name } }: { role: Role }) {
  const { role: said } = texts();
  const enabled = can("users:view");
  const holders = useQuery(
    ["users", "having", name],
    (signal) => listUsers({ query: { role: [name], limit: SHOWN, sort: "name" }, signal }),
    { enabled },
  );
  if (!enabled) return null;
  const { data, error } = holders;
  const total = data?.pagination.total ?? 0;
  return (
    <Card
      title={said.who}
      footer={total > 0 && (
        <a href={`/users?role=${encodeURIComponent(name)}`}>{said.allUsers(number(total))}</a>
      )}
    >
      {data === undefined && !error && <Skeleton lines={4} />}
      {error && <Problem error={error} retry={() => holders.refetch()} compact />}
      {total === 0 && data && <p class="muted">{said.nobody}</p>}
      <ul class="items">
        {data?.data.map((user) => (
          <li key={user.id} class="item">
            <Person
              name={user.name}
              src={user.avatar}
              detail={user.email}
              href={`/users/${user.id}`}
            />
          </li>
        ))}
      </ul>
    </Card>
  );
}
