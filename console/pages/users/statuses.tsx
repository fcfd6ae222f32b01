// The states of an account, as they are shown.
import type { User } from "../../../client/mod.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import type { IconName } from "../../parts/icon.tsx";
import { texts } from "./texts.ts";

export type Status = User["status"];

export const STATUSES: readonly Status[] = ["active", "inactive", "suspended"];

const TONES: Readonly<Record<Status, Tone>> = {
  active: "good",
  inactive: "neutral",
  suspended: "bad",
};

export function StatusBadge({ status }: { status: Status }) {
  return <Badge tone={TONES[status]} dot>{texts().statuses[status]}</Badge>;
}

/** What makes an account so. */
export const STATUS_ICONS: Readonly<Record<Status, IconName>> = {
  active: "play",
  inactive: "pause",
  suspended: "lock",
};

export function statusChoices() {
  const { statuses } = texts();
  return STATUSES.map((value) => ({ value, label: statuses[value] }));
}
