// What can be done with one user, from the menu of their page.
import {
  deleteUserSecondFactors,
  exportUserData,
  impersonateUser,
  setUserStatus,
  type User,
} from "../../../client/mod.ts";
import { download } from "../../parts/csv.ts";
import { confirm, type Question } from "../../parts/dialog.tsx";
import type { Action } from "../../parts/menu.tsx";
import { refresh } from "../../state/query.ts";
import { actAs, can, user as self } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { tried } from "../../state/use_busy.ts";
import { type Status, STATUS_ICONS, STATUSES } from "./statuses.tsx";
import { detailTexts } from "./detail_texts.ts";
import { texts } from "./texts.ts";

/** @param remove Asks how much is to be deleted. */
export function userActions(user: User, remove: () => void): readonly Action[] {
  const { detail } = detailTexts();
  const own = user.id === self.value?.id;
  const actions: Action[] = [];
  if (!own && can("users:update")) {
    actions.push(...statusActions(user));
    actions.push({
      label: detail.resetFactor,
      icon: "shield",
      parted: true,
      run: () => resetFactor(user),
    });
  }
  if (own || can("users:*")) {
    actions.push({ label: detail.exportData, icon: "download", run: () => exportData(user) });
  }
  if (mayActAs(user)) {
    actions.push({ label: detail.impersonate, icon: "eye", run: () => act(user) });
  }
  if (!own && can("users:delete")) {
    actions.push({ label: detail.delete, icon: "trash", danger: true, parted: true, run: remove });
  }
  return actions;
}

/** As the server has it: a super_admin, never as another one. */
function mayActAs({ id, role, status }: User): boolean {
  const me = self.value;
  return me?.role === "super_admin" && id !== me.id && role !== "super_admin" &&
    status === "active";
}

function statusActions(user: User): readonly Action[] {
  const { detail } = detailTexts();
  const labels = {
    active: detail.activate,
    inactive: detail.deactivate,
    suspended: detail.suspend,
  };
  return STATUSES.filter((status) => status !== user.status)
    .map((status) => ({
      label: labels[status],
      icon: STATUS_ICONS[status],
      run: () => setStatus(user, status),
    }));
}

async function setStatus({ id, name }: User, status: Status) {
  const { detail } = detailTexts();
  const { bulk, statuses } = texts();
  const ends = status !== "active";
  const question = {
    title: detail.statusTitle(name, statuses[status]),
    text: bulk.statusText,
    danger: true,
    action: status === "inactive" ? detail.deactivate : detail.suspend,
  };
  if (ends && !await confirm(question)) return;
  await tried(async () => {
    await setUserStatus({ path: { id }, body: { status } });
    refresh("users", "dashboard", "sessions");
    toast({ text: detail.statusSet(name, statuses[status]) });
  });
}

async function resetFactor({ id, name }: User) {
  const { resetFactor: action, resetFactorTitle, resetFactorText: text, factorReset } =
    detailTexts().detail;
  const question: Question = { title: resetFactorTitle(name), text, action, danger: true };
  if (!await confirm(question)) return;
  await tried(async () => {
    await deleteUserSecondFactors({ path: { id } });
    toast({ text: factorReset });
  });
}

async function exportData({ id, name }: User) {
  await tried(async () => {
    const content = await exportUserData({ path: { id }, parseAs: "blob" });
    download(`${name}.json`, content as unknown as Blob);
    toast({ text: detailTexts().detail.exported });
  });
}

async function act({ id, name }: User) {
  const { impersonateTitle, impersonateText: text, act: action } = detailTexts().detail;
  if (!await confirm({ title: impersonateTitle(name), text, action })) return;
  await tried(async () => {
    const { data } = await impersonateUser({ path: { id } });
    actAs(data);
  });
}
