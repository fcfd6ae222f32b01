// Copies everything from one store to another, whatever their engines, and verifies the copy: `deno task copy`.
import { parseArgs } from "node:util";
import { answerHelp, print, printError } from "../core/command_line.ts";
import { CopyError, copyStore } from "../storage/copying.ts";
import { openStore } from "../storage/open.ts";
import type { Store } from "../storage/port.ts";
import { requireSource } from "./sources.ts";

const USAGE = `Usage:
  deno task copy --from URL --to URL

Copies everything into an empty store, and verifies it: every record, and the bytes of every file
against the SHA-256 of its upload. Stop the server first. Until the copy is whole, no server opens it.
URL: kv:path, sqlite:path or postgres://user:password@host/database.`;

async function main(args: readonly string[]): Promise<number> {
  const stores: Store[] = [];
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { from: { type: "string" }, to: { type: "string" } },
    });
    if (!values.from || !values.to) throw new CopyError(USAGE);
    if (values.from === values.to) throw new CopyError("Cannot copy: --from and --to are the same");
    await requireSource(values.from);
    stores.push(await openStore({ url: values.from }));
    stores.push(await openStore({ url: values.to, acceptUnfinished: true }));
    const [from, to] = stores as [Store, Store];
    print(`From ${from.engine} to ${to.engine}`);
    await copyStore(from, to, (what, copied) => print(`${what}: ${copied}`));
    print("Copied and verified");
    return 0;
  } catch (error) {
    printError(error instanceof Error ? error.message : String(error));
    return 1;
  } finally {
    for (const store of stores) await store.close();
  }
}

if (import.meta.main) {
  answerHelp(USAGE);
  Deno.exit(await main(Deno.args));
}
