// Permissions as a table: resources down, actions across.
import { useId, useMemo, useRef } from "preact/hooks";
import { CheckBox, Switch } from "../../parts/field.tsx";
import { classes } from "../../parts/classes.ts";
import { Icon } from "../../parts/icon.tsx";
import { actionName, permissionName, resourceName } from "../../state/permission_names.ts";
import { ALL, heldBy, holds, type Listed, matrixOf, toggled } from "../../state/permission_sets.ts";
import { permissions as mine } from "../../state/session.ts";
import { texts } from "./texts.ts";

interface PermissionMatrixProps {
  catalogue: readonly Listed[];
  held: readonly string[];
  /** As it is stored: what differs is marked. */
  before: readonly string[];
  fixed: boolean;
  onChange: (held: string[]) => void;
}

/** How far an arrow key leads, in columns and rows. */
const STEPS: Readonly<Record<string, readonly [across: number, down: number]>> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};

export function PermissionMatrix(props: PermissionMatrixProps) {
  const { catalogue, held, before, fixed, onChange } = props;
  const said = texts().matrix;
  const helpId = useId();
  const table = useRef<HTMLTableElement>(null);
  const { actions, rows } = useMemo(() => matrixOf(catalogue, before), [catalogue, before]);
  const everything = held.includes("*");
  const mayAll = holds(mine.value, "*");
  return (
    <>
      <div class="matrix-all">
        <Switch
          label={said.everything}
          hint={mayAll ? said.everythingText : said.notYours}
          value={everything}
          disabled={fixed || !mayAll && !everything}
          onChange={(on) => onChange(toggled(held, "*", on))}
        />
      </div>
      <div class="matrix-box" tabIndex={-1}>
        <table
          ref={table}
          class="matrix"
          aria-label={said.label}
          aria-describedby={helpId}
          onKeyDown={(event) => moveByKey(event, table.current!)}
        >
          <thead>
            <tr>
              <th scope="col">{said.resource}</th>
              {actions.map((action) => (
                <th key={action} scope="col" title={action === ALL ? said.all : action}>
                  {actionName(action)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ resource, cells }) => (
              <tr key={resource}>
                <th scope="row" title={resource}>{resourceName(resource)}</th>
                {actions.map((action) => (
                  <Cell
                    key={action}
                    listed={cells.get(action)}
                    held={held}
                    before={before}
                    fixed={fixed}
                    onChange={onChange}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        <p id={helpId} class="unseen">{said.keys}</p>
      </div>
    </>
  );
}

interface CellProps extends Omit<PermissionMatrixProps, "catalogue"> {
  listed: Listed | undefined;
}

function Cell({ listed, held, before, fixed, onChange }: CellProps) {
  const said = texts().matrix;
  if (!listed) return <td class="matrix-none" />;
  const { name, description } = listed;
  const label = permissionName(name);
  const other = heldBy(held, name);
  const changed = held.includes(name) !== before.includes(name);
  const shape = classes("matrix-cell", changed && "matrix-changed");
  if (other !== null) {
    const why = `${label}: ${said.byOther(permissionName(other))}`;
    return (
      <td class={shape} title={why}>
        <Icon name="check" label={why} class="matrix-implied" />
      </td>
    );
  }
  const on = held.includes(name);
  const foreign = !on && !before.includes(name) && !holds(mine.value, name);
  return (
    <td class={shape} title={foreign ? `${label}: ${said.notYours}` : description ?? name}>
      <CheckBox
        label={label}
        value={on}
        disabled={fixed || foreign}
        onChange={(next) => onChange(toggled(held, name, next))}
      />
    </td>
  );
}

/** To the next box that can be ticked in that direction. */
function moveByKey(event: KeyboardEvent, table: HTMLTableElement) {
  const step = STEPS[event.key];
  const cell = (event.target as HTMLElement).closest("td");
  if (!step || !cell) return;
  event.preventDefault();
  const rtl = getComputedStyle(table).direction === "rtl";
  const [across, down] = [rtl ? -step[0] : step[0], step[1]];
  let column = cell.cellIndex;
  let row = (cell.parentElement as HTMLTableRowElement).rowIndex;
  for (;;) {
    column += across;
    row += down;
    const next = table.rows[row]?.cells[column];
    if (!next) return;
    const box = next.querySelector<HTMLInputElement>("input:not(:disabled)");
    if (box) return box.focus();
  }
}
