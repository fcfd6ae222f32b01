// What `deno task verify --audit` does: proves the audit log by its chain, and says what that showed.
import { readSettings } from "../config/read.ts";
import { hasSecretsBeside } from "../config/secrets.ts";
import { print, printError } from "../core/command_line.ts";
import { Notary } from "../services/audit/chain.ts";
import { type AuditProof, proveAudit } from "../services/audit/proof.ts";
import { openStore } from "../storage/open.ts";

/** Problems that are told one by one. */
const MAX_TOLD = 100;

/**
 * @param holds `SEQ:HASH` of a checkpoint that was kept elsewhere.
 * @returns The exit code: 0 where nothing is wrong, else 1.
 * @throws {Error} `holds` cannot be read, the settings or the store cannot be used, or they have no key.
 */
export async function verifyAudit(url: string, holds: string | undefined): Promise<number> {
  const kept = holds === undefined ? null : /^(\d{1,15}):([\w-]{43})$/.exec(holds);
  if (holds !== undefined && !kept) {
    throw new Error(`Cannot verify: --holds: expected SEQ:HASH, received '${holds}'`);
  }
  // A store elsewhere was signed by the server whose secrets lie with it, where it has its own.
  const beside: Record<string, string> = await hasSecretsBeside(url) ? { DATABASE_URL: url } : {};
  const { settings, madeSecrets } = await readSettings(beside);
  const { auditKeys, secrets, variant } = settings;
  if (madeSecrets.includes(variant.secret) && auditKeys[0] === secrets.access) {
    throw new Error(
      "Cannot verify: there is no key to prove by. Set AUDIT_KEY, or the secrets of the server, or put " +
        "its secrets.json beside the store",
    );
  }
  const store = await openStore({ url });
  try {
    const proof = await proveAudit(store, new Notary(auditKeys));
    const problems = [...proof.problems];
    if (kept) problems.push(...problemsWith(proof, Number(kept[1]), kept[2]!));
    for (const problem of problems.slice(0, MAX_TOLD)) printError(problem);
    for (const line of summary(proof)) print(line);
    if (problems.length === 0) print(`${store.engine}: nothing in the audit log was changed`);
    else printError(`${store.engine}: ${problems.length} findings; the first is the first above`);
    return problems.length === 0 ? 0 : 1;
  } finally {
    await store.close();
  }
}

function problemsWith({ hashOf, head }: AuditProof, seq: number, hash: string): string[] {
  const found = hashOf(seq);
  if (found === hash) return [];
  if (found !== undefined) return [`Link ${seq} is not the one of the checkpoint that was kept`];
  return seq > (head?.seq ?? 0)
    ? [`Link ${seq} of the checkpoint that was kept was removed, with all after it`]
    : [`Link ${seq} of the checkpoint that was kept is not there: it was removed for its age`];
}

function summary({ entries, links, waiting, late, head, before }: AuditProof): string[] {
  return [
    `${entries} entries, ${links} links`,
    ...(head ? [`The newest link is ${head.seq}:${head.hash}, signed at ${head.at}`] : []),
    ...(before ? [`Entries from before ${before} were removed for their age`] : []),
    ...(late > 0 ? [`${late} entries were there before they were linked: see docs/audit.md`] : []),
    ...(waiting > 0 ? [`${waiting} entries wait for a server to link them`] : []),
  ];
}
