// What of an entry stands in the chain: its digest, which an erasure of a person's data leaves as it is.
//
// An erasure takes away where a request came from, what somebody was called, and what was changed about them. The digest
// holds none of these itself but their commitments: a hash over a random salt and the values. With the values the salt
// goes and the commitment stays in the entry, so that the digest is the same, and nobody can find the values by trying.
import { createHash } from "node:crypto";
import type { AuditRecord } from "../../models/audit.ts";
import { SEALED_PARTS, type SealedPart } from "../../storage/audit.ts";

/** The form of digests; another form needs another name. */
const FORM = "quarterdeck audit entry 1";

const valuesOf: Readonly<Record<SealedPart, (entry: AuditRecord) => readonly unknown[]>> = {
  origin: ({ ip, requestId }) => [ip ?? null, requestId ?? null],
  name: ({ targetName }) => [targetName],
  changes: ({ changes }) => [changes ?? null],
};

/** SHA-256 of a value's JSON, in base64url. */
export function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url");
}

/** A hash over all of an entry. Entries of releases before the chain have no seals: what could be erased is not in it. */
export function digestOf(entry: AuditRecord): string {
  const { id, createdAt, actorId, action, target, targetId, fields } = entry;
  const { impersonatorId = null, apiKeyId = null } = entry;
  return hashOf([
    FORM,
    id,
    createdAt,
    actorId ?? null,
    action,
    target,
    targetId,
    fields,
    impersonatorId,
    apiKeyId,
    ...partsOf(entry),
  ]);
}

/** Each part that has a seal by its commitment, each other as it is: it has no values then, and gets none. */
function partsOf(entry: AuditRecord): unknown[] {
  const { seals } = entry;
  if (!seals) return [];
  return SEALED_PARTS.map((part) => {
    const seal = seals.find((seal) => seal.startsWith(`${part} `));
    return seal === undefined ? valuesOf[part](entry) : commitmentIn(entry, seal);
  });
}

/** A seal is `part salt …` as long as the values are there, and `part hash …` from then on. */
function commitmentIn(entry: AuditRecord, seal: string): string {
  const [part = "", kind, text] = seal.split(" ");
  if (kind !== "salt" || !isSealedPart(part)) return seal;
  return `${part} hash ${hashOf([text, part, ...valuesOf[part](entry)])}`;
}

function isSealedPart(part: string): part is SealedPart {
  return (SEALED_PARTS as readonly string[]).includes(part);
}

/** The seals of an entry without the values of these parts. */
export function sealsWithout(
  entry: AuditRecord,
  parts: readonly SealedPart[],
): string[] | undefined {
  return entry.seals?.map((seal) =>
    parts.some((part) => seal.startsWith(`${part} `)) ? commitmentIn(entry, seal) : seal
  );
}

/**
 * Whether an entry bears the time of a change that nothing explains: only an erasure changes one, and leaves its mark.
 * Entries of releases before the chain have no seals, and so no mark.
 */
export function isRestamped(entry: AuditRecord): boolean {
  const { createdAt, updatedAt, seals } = entry;
  return updatedAt !== createdAt && seals !== undefined && clearedParts(entry).length === 0;
}

/** The parts whose values were taken away. */
export function clearedParts({ seals = [] }: AuditRecord): readonly string[] {
  return seals.map((seal) => seal.split(" ")).filter(([, kind]) => kind === "hash")
    .map(([part]) => part!);
}
