// Who did something and to what, as words: the server among them, and the kind of a record before its name.
import type { AuditEntry } from "../../../client/mod.ts";
import { Icon } from "../../parts/icon.tsx";
import { Person } from "../../parts/person.tsx";
import { texts } from "./texts.ts";

export function Actor({ actor }: Pick<AuditEntry, "actor">) {
  if (actor) return <Person name={actor.name} size="s" />;
  const said = texts();
  return (
    <span class="person" title={said.serverText}>
      <span class="avatar avatar-s server-mark" aria-hidden="true">
        <Icon name="health" size={12} />
      </span>
      <span class="muted">{said.server}</span>
    </span>
  );
}

/** `permission`; a collection that has no word by its name. */
export function kindOf(target: string): string {
  const { kinds } = texts();
  return Object.hasOwn(kinds, target) ? kinds[target]! : target;
}

export function Target({ target, targetName }: Pick<AuditEntry, "target" | "targetName">) {
  const kind = kindOf(target);
  return (
    <span class="cut">
      <span class="muted">{kind}</span>
      {targetName !== kind && <>{" "}{targetName}</>}
    </span>
  );
}

/** Where it came from; a dash for what came from no address, such as the work of the server itself. */
export function Address({ ip }: Pick<AuditEntry, "ip">) {
  if (ip) return <span class="mono">{ip}</span>;
  return (
    <span class="muted">
      <span aria-hidden="true">–</span>
      <span class="unseen">{texts().noAddress}</span>
    </span>
  );
}
