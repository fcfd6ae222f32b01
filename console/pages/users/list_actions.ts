// What can be done with users from their list; the rest is on the page of each.
import type { User } from "../../../client/mod.ts";
import type { Action } from "../../parts/menu.tsx";
import { texts as common } from "../../parts/texts.ts";
import { can, user as self } from "../../state/session.ts";
import type { BulkAct } from "./bulk_dialog.tsx";
import { detailTexts } from "./detail_texts.ts";
import { STATUS_ICONS, STATUSES } from "./statuses.tsx";
import { texts } from "./texts.ts";

type Ask = (act: BulkAct, ids: readonly string[]) => void;

/** With one. */
export function rowActionsOf({ id, status }: User, ask: Ask): readonly Action[] {
  const open: Action = { label: common().open, icon: "external", href: `/users/${id}` };
  if (id === self.value?.id) return [open];
  const { detail } = detailTexts();
  const doing = { active: detail.activate, inactive: detail.deactivate, suspended: detail.suspend };
  const statuses = STATUSES.filter((one) => one !== status).map((status, at): Action => ({
    label: doing[status],
    icon: STATUS_ICONS[status],
    parted: at === 0,
    run: () => ask({ kind: "status", status }, [id]),
  }));
  return [
    open,
    ...(can("users:update") ? [...statuses, roleAction(ask, [id])] : []),
    ...(can("users:delete") ? [{ ...deleteAction(ask, [id]), parted: true }] : []),
  ];
}

/** With many; undefined where there is nothing that one may. */
export function bulkActionsFor(
  ask: Ask,
): ((ids: readonly string[]) => readonly Action[]) | undefined {
  if (!can("users:update", "users:delete")) return undefined;
  const { setStatus } = texts().bulk;
  return (ids) => [
    ...(can("users:update")
      ? [
        roleAction(ask, ids),
        { label: setStatus, icon: "user", run: () => ask({ kind: "status" }, ids) } as const,
      ]
      : []),
    ...(can("users:delete") ? [deleteAction(ask, ids)] : []),
  ];
}

function roleAction(ask: Ask, ids: readonly string[]): Action {
  return { label: texts().bulk.setRole, icon: "roles", run: () => ask({ kind: "role" }, ids) };
}

function deleteAction(ask: Ask, ids: readonly string[]): Action {
  const run = () => ask({ kind: "delete" }, ids);
  return { label: texts().bulk.delete, icon: "trash", danger: true, run };
}
