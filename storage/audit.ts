// Entries of the audit log as they are written: who, what, which values changed, and a salt for each thing that an erasure
// may take away again. What the chain makes of them is in services/audit.
import { createHash } from "node:crypto";
import { randomBytes } from "../core/random.ts";
import type { AuditChange, AuditRecord, AuditValue } from "../models/audit.ts";
import type { CollectionDeclaration } from "../models/collection.ts";
import type { Actor, NewRecord } from "./port.ts";

/** Characters of a text, and of a list as JSON, that are told as they are. */
const MAX_TEXT = 200;
const MAX_LIST = 2000;

/** 128 bits: nobody finds an address or a name again by trying all of them against the hash. */
const SALT_BYTES = 16;

/** What is sealed apart from the rest, since an erasure takes it away; in this order. */
export const SEALED_PARTS = ["origin", "name", "changes"] as const;
export type SealedPart = typeof SEALED_PARTS[number];

/** What was done, beside by whom. */
type Act =
  & Pick<AuditRecord, "action" | "target" | "targetId" | "targetName">
  & Partial<Pick<AuditRecord, "fields" | "changes">>;

/** A new entry of the log: what `actor` did. */
export function auditEntry(actor: Actor, act: Act): NewRecord<AuditRecord> {
  const { ip, requestId } = actor;
  const sealed: SealedPart[] = ["name"];
  if (ip !== undefined || requestId !== undefined) sealed.unshift("origin");
  if (act.changes !== undefined) sealed.push("changes");
  return {
    actorId: actor.userId ?? undefined,
    fields: [],
    ...act,
    impersonatorId: actor.impersonatorId,
    apiKeyId: actor.apiKeyId,
    ip,
    requestId,
    seals: sealed.map((part) => `${part} salt ${newSalt()}`),
  };
}

/** The values of changed fields before and after, as JSON; undefined where none of them may be told. */
export function changesOf(
  { audited, measured }: Pick<CollectionDeclaration<never>, "audited" | "measured">,
  fields: readonly string[],
  before: object,
  after: object,
): string | undefined {
  const told = fields.filter((field) => includes(audited, field) || includes(measured, field));
  if (told.length === 0) return undefined;
  const valueIn = (record: object, field: string): AuditValue | undefined => {
    const value = (record as Record<string, AuditValue | undefined>)[field];
    return value === undefined || !includes(measured, field) && isShort(value)
      ? value
      : measure(value);
  };
  const changes = told.map((field): AuditChange => ({
    field,
    before: valueIn(before, field),
    after: valueIn(after, field),
  }));
  return JSON.stringify(changes);
}

function includes(fields: readonly string[], field: string): boolean {
  return fields.includes(field);
}

function isShort(value: AuditValue): boolean {
  if (typeof value === "string") return value.length <= MAX_TEXT;
  return !Array.isArray(value) || JSON.stringify(value).length <= MAX_LIST;
}

/** Of a text, what it is; of anything else, its JSON. */
function measure(value: AuditValue): AuditValue {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return { length: text.length, sha256: createHash("sha256").update(text).digest("hex") };
}

/** Random, in base64url. */
function newSalt(): string {
  return randomBytes(SALT_BYTES).toBase64({ alphabet: "base64url", omitPadding: true });
}
