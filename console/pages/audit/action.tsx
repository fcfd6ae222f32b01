// What was done, as a word.
import type { AuditEntry } from "../../../client/mod.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { texts } from "./texts.ts";

const TONES: Readonly<Record<string, Tone>> = {
  insert: "good",
  update: "note",
  remove: "bad",
  purge: "bad",
  erase: "bad",
};

export function Action({ action }: Pick<AuditEntry, "action">) {
  return <Badge tone={TONES[action] ?? "neutral"}>{texts().actions[action] ?? action}</Badge>;
}
