// The answer: yes or no, and link by link why.
import type { Explanation } from "../../../client/mod.ts";
import { Icon } from "../../parts/icon.tsx";
import { permissionName } from "../../state/permission_names.ts";
import { useRoles } from "../../state/roles.ts";
import { type Reason, sentencesOf } from "./reasons.ts";
import { texts } from "./texts.ts";

export function Chain({ answer }: { answer: Explanation }) {
  const said = texts();
  const { allowed, user, permission, reasons } = answer;
  const what = permissionName(permission);
  return (
    <>
      <div class="verdict" data-ok={allowed}>
        <span class="verdict-icon">
          <Icon name={allowed ? "check" : "x"} size={20} />
        </span>
        <div>
          <p class="strong">
            {allowed ? said.allowed(user.name, what) : said.refused(user.name, what)}
          </p>
          <p class="muted small">{said.all}</p>
        </div>
      </div>
      <ol class="chain">
        {reasons.map((reason) => <Link key={reason.rule} reason={reason} userId={user.id} />)}
      </ol>
    </>
  );
}

function Link({ reason, userId }: { reason: Reason; userId: string }) {
  const said = texts();
  const roles = useRoles();
  const { rule, ok, basis } = reason;
  const role = rule === "permission" ? roles?.find(({ name }) => name === basis.role) : undefined;
  const [main, ...more] = sentencesOf(reason);
  return (
    <li class="chain-link" data-ok={ok}>
      <span class="chain-mark">
        <Icon name={ok ? "check" : "x"} size={14} />
      </span>
      <div class="chain-words">
        <span class="muted small">{said.rules[rule]}</span>
        <span>{[main, ...more].join(" ")}</span>
        {(!ok || rule === "permission") && rule !== "record" && (
          <span class="links small">
            <a href={`/users/${userId}`}>{said.toUser}</a>
            {role && <a href={`/roles/${role.id}`}>{said.toRole}</a>}
          </span>
        )}
      </div>
    </li>
  );
}
