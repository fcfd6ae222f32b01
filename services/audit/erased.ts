// What an erasure took out of entries, and whether there was one: values that are gone without it were taken by somebody.
import { apiKeys } from "../../models/api_keys.ts";
import type { AuditRecord } from "../../models/audit.ts";
import { identities } from "../../models/identities.ts";
import { passkeys } from "../../models/passkeys.ts";
import { users } from "../../models/users.ts";
import { webhooks } from "../../models/webhooks.ts";
import type { SealedPart } from "../../storage/audit.ts";
import { DELETED_USER } from "../access/persons.ts";
import { clearedParts, sealsWithout } from "./entries.ts";

/** What only its owner makes and names, by collection, and what the audit log calls it once its owner is erased. */
export const UNNAMED: ReadonlyMap<string, string> = new Map([
  [apiKeys.name, "API key"],
  [passkeys.name, "passkey"],
  [webhooks.name, "webhook"],
]);

/** What a record is called once nobody may know its name. */
function nameless(target: string): string {
  return UNNAMED.get(target) ?? DELETED_USER.name;
}

type Clearable = Partial<
  Pick<AuditRecord, "targetName" | "ip" | "requestId" | "changes" | "seals">
>;

/** What to change in an entry so that these parts of it are gone; null where they are already. */
export function clearedOf(entry: AuditRecord, parts: readonly SealedPart[]): Clearable | null {
  const cleared: Clearable = {};
  if (parts.includes("origin")) cleared.ip = cleared.requestId = undefined;
  if (parts.includes("changes")) cleared.changes = undefined;
  if (parts.includes("name")) cleared.targetName = nameless(entry.target);
  const changes = Object.entries(cleared).some(([field, value]) =>
    entry[field as keyof Clearable] !== value
  );
  if (!changes) return null;
  return { ...cleared, seals: sealsWithout(entry, parts) };
}

/** Whom an entry may have been cleared for; `anyone` where that is somebody whom it does not name. */
interface Cleared {
  readonly id: string;
  readonly part: string;
  readonly people: readonly (string | undefined)[];
  readonly anyone: boolean;
}

export class Erasures {
  readonly #erased = new Set<string>();
  readonly #cleared: Cleared[] = [];
  readonly #filled: string[] = [];

  take(entry: AuditRecord): void {
    const { id, action, target, targetId, actorId, impersonatorId } = entry;
    if (action === "erase" && target === users.name) this.#erased.add(targetId);
    const about = target === users.name ? targetId : undefined;
    const by = impersonatorId ?? actorId;
    const anyone = UNNAMED.has(target) || target === identities.name && by === undefined;
    for (const part of clearedParts(entry)) {
      if (!isEmpty(entry, part)) this.#filled.push(id);
      const people = part === "origin" ? [by ?? about] : [actorId, about];
      this.#cleared.push({ id, part, people, anyone });
    }
  }

  /** What is wrong with them. Asked when all entries were taken. */
  unexplained(): string[] {
    const wrong = this.#cleared.filter(({ people, anyone }) =>
      !people.some((id) => id !== undefined && this.#erased.has(id)) &&
      !(anyone && this.#erased.size > 0)
    );
    return [
      ...this.#filled.map((id) => `Entry ${id} was changed: it was given values after an erasure`),
      ...wrong.map(({ id, part }) =>
        `Entry ${id} was changed: its ${part} is gone, and nobody was erased whom it tells of`
      ),
    ];
  }
}

function isEmpty(entry: AuditRecord, part: string): boolean {
  if (part === "origin") return entry.ip === undefined && entry.requestId === undefined;
  if (part === "changes") return entry.changes === undefined;
  return entry.targetName === nameless(entry.target);
}
