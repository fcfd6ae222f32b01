// One entry of the audit log: the fields before and after, and how it came about.
import type { AuditChange, AuditEntry } from "../../../client/mod.ts";
import { Code } from "../../parts/code.tsx";
import { Drawer } from "../../parts/drawer.tsx";
import { Time } from "../../parts/time.tsx";
import { listed, number } from "../../state/format.ts";
import { Action } from "./action.tsx";
import { texts } from "./texts.ts";
import { kindOf } from "./words.tsx";

export function Entry(
  { entry, onClose }: { readonly entry: AuditEntry | null; readonly onClose: () => void },
) {
  const said = texts();
  if (!entry) return null;
  const told = new Set(entry.changes.map(({ field }) => field));
  const untold = entry.fields.filter((field) => !told.has(field));
  return (
    <Drawer title={entry.targetName || entry.target} open size="l" onClose={onClose}>
      <div class="stack">
        <dl class="facts">
          <dt>{said.action}</dt>
          <dd>
            <Action action={entry.action} />
          </dd>
          <dt>{said.time}</dt>
          <dd>
            <Time at={entry.time} style="full" />
          </dd>
          <dt>{said.actor}</dt>
          <dd>{entry.actor?.name ?? said.serverText}</dd>
          {entry.impersonator && (
            <>
              <dt>{said.impersonator}</dt>
              <dd>{entry.impersonator.name}</dd>
            </>
          )}
          {entry.apiKeyId && (
            <>
              <dt>{said.key}</dt>
              <dd>
                <Code text={entry.apiKeyId} />
              </dd>
            </>
          )}
          <dt>{said.target}</dt>
          <dd>
            {kindOf(entry.target)} <Code text={entry.targetId} />
          </dd>
          {entry.ip && (
            <>
              <dt>{said.ip}</dt>
              <dd>
                <Code text={entry.ip} />
              </dd>
            </>
          )}
          {entry.requestId && (
            <>
              <dt>{said.request}</dt>
              <dd>
                <Code text={entry.requestId} />
              </dd>
            </>
          )}
        </dl>
        <section class="stack stack-tight">
          <h3>{said.changes}</h3>
          {entry.changes.length === 0 && <p class="muted">{said.noChanges}</p>}
          {entry.changes.length > 0 && <Changes changes={entry.changes} />}
          {untold.length > 0 && <p class="muted small">{said.secretFields(listed(untold))}</p>}
        </section>
      </div>
    </Drawer>
  );
}

function Changes({ changes }: { readonly changes: readonly AuditChange[] }) {
  const said = texts();
  return (
    <div class="before-after" role="table" aria-label={said.changes}>
      <div role="row" style={{ display: "contents" }}>
        {[said.field, said.before, said.after].map((title) => (
          <span key={title} class="head" role="columnheader">{title}</span>
        ))}
      </div>
      {changes.map(({ field, before, after }) => (
        <div key={field} role="row" style={{ display: "contents" }}>
          <span role="rowheader">{field}</span>
          <span role="cell" class="gone">
            <code>{told(before)}</code>
          </span>
          <span role="cell" class="come">
            <code>{told(after)}</code>
          </span>
        </div>
      ))}
    </div>
  );
}

/** Long texts are told by their length alone. */
function told(value: AuditChange["before"]): string {
  if (value === undefined || value === null) return "–";
  if (Array.isArray(value)) return value.join(", ") || "–";
  if (typeof value === "object") return texts().long(number(value.length));
  return String(value);
}
