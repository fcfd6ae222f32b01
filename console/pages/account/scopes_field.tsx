// The scopes of an API key: resources by actions, of what one holds oneself.
import { useMemo } from "preact/hooks";
import { listPermissions } from "../../../client/mod.ts";
import { CheckBox, Checkbox, Field } from "../../parts/field.tsx";
import { actionName, permissionName, resourceName } from "../../state/permission_names.ts";
import { place, serves } from "../../state/place.ts";
import { useQuery } from "../../state/query.ts";
import { can, permissions } from "../../state/session.ts";
import { ACTIONS, rowsOf, toggled } from "./scopes.ts";
import { texts } from "./texts.ts";

export interface ScopesFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly error?: string;
  readonly value: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
}

export function ScopesField({ label, hint, error, value, onChange }: ScopesFieldProps) {
  const said = texts().key;
  const enabled = serves("permissions") && can("permissions:view");
  const { data: catalogue } = useQuery(
    ["permissions", "all"],
    async (signal) =>
      (await listPermissions({ query: { limit: 100, sort: "createdAt" }, signal })).data,
    { enabled },
  );
  const held = permissions.value;
  const may = useMemo(() => [...held, ...place.open.map((resource) => `${resource}:*`)], [held]);
  const rows = useMemo(
    () => rowsOf(catalogue?.map(({ name }) => name) ?? [], may, value),
    [catalogue, may, value],
  );
  const set = (scope: string, on: boolean) => onChange(toggled(value, scope, on));
  const all = value.includes("*");
  return (
    <Field label={label} hint={hint} error={error} loose required>
      {(control) => (
        <div
          class="scopes"
          role="group"
          aria-labelledby={`${control.id}-label`}
          aria-describedby={control["aria-describedby"]}
          aria-invalid={control["aria-invalid"]}
        >
          {held.includes("*") && (
            <Checkbox
              label={said.everything}
              value={all}
              onChange={(on) => set("*", on)}
            />
          )}
          {!all && (
            <table class="scopes-table">
              <thead>
                <tr>
                  <th scope="col">
                    <span class="unseen">{said.resource}</span>
                  </th>
                  {ACTIONS.map((action) => <th key={action} scope="col">{actionName(action)}</th>)}
                </tr>
              </thead>
              <tbody>
                {rows.map(({ resource, cells, others }) => (
                  <tr key={resource}>
                    <th scope="row">
                      <span class="scopes-resource">
                        {resourceName(resource)}
                        {others.map((scope) => (
                          <span key={scope} class="scopes-other">
                            <CheckBox
                              label={permissionName(scope)}
                              value={value.includes(scope)}
                              onChange={(on) => set(scope, on)}
                            />
                            {actionName(scope.split(":")[1]!)}
                          </span>
                        ))}
                      </span>
                    </th>
                    {cells.map(({ scope, offered, covered }) => (
                      <td key={scope}>
                        {offered && (
                          <CheckBox
                            label={permissionName(scope)}
                            value={covered || value.includes(scope)}
                            disabled={covered}
                            onChange={(on) => set(scope, on)}
                          />
                        )}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </div>
      )}
    </Field>
  );
}
