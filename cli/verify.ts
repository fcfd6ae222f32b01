// Looks through a whole store and names what is damaged: `deno task verify`.
import { parseArgs } from "node:util";
import { storeUrl } from "../config/environment.ts";
import { readEnvironment } from "../config/read.ts";
import { answerHelp, print, printError } from "../core/command_line.ts";
import { verifyStore } from "../services/backups/verify.ts";
import { openStore } from "../storage/open.ts";
import { RecordDamaged } from "../storage/port.ts";
import { requireSource } from "./sources.ts";
import { verifyAudit } from "./verify_audit.ts";

const USAGE = `Usage:
  deno task verify [--store URL]
  deno task verify --audit [--holds SEQ:HASH] [--store URL]

Looks through the store of the settings, or the one that is named: every record, unique value, count and reference,
and the bytes of every file against the SHA-256 of their upload. Stop the server first.
--audit proves instead that nothing in the audit log was changed, removed or put between: by AUDIT_KEY, else by the
secrets beside the store, else by those of the settings.
--holds: and that it goes on from a checkpoint that was kept elsewhere (GET /api/audit/checkpoint).
URL: kv:path, sqlite:path or postgres://user:password@host/database.
Ends with 0 where all is well, 1 where something is damaged, 2 where it could not look.`;

/** Findings that are told one by one. */
const MAX_TOLD = 1000;

async function main(args: readonly string[]): Promise<number> {
  try {
    const text = { type: "string" } as const;
    const options = { store: text, audit: { type: "boolean" }, holds: text } as const;
    const { values } = parseArgs({ args: [...args], options });
    if (values.holds !== undefined && !values.audit) throw new Error(USAGE);
    const url = values.store ?? storeUrl(await readEnvironment());
    await requireSource(url);
    return values.audit ? await verifyAudit(url, values.holds) : await verify(url);
  } catch (error) {
    printError(error instanceof Error ? error.message : String(error));
    return error instanceof RecordDamaged ? 1 : 2;
  }
}

async function verify(url: string): Promise<number> {
  const store = await openStore({ url });
  try {
    let found = 0;
    const progress = (what: string, count: number) => print(`${what}: ${count}`);
    for await (const finding of verifyStore(store, progress)) {
      if (found++ < MAX_TOLD) printError(finding);
    }
    if (found === 0) print(`${store.engine}: nothing is damaged`);
    else printError(`${store.engine}: ${found} findings`);
    return found === 0 ? 0 : 1;
  } finally {
    await store.close();
  }
}

if (import.meta.main) {
  answerHelp(USAGE);
  Deno.exit(await main(Deno.args));
}
