// `deno task verify --audit` of a store that is named: whose key its chain is proved by.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { withSecrets } from "../../config/secrets.ts";
import { AuditWork } from "../../services/audit/audit.ts";
import { openStore } from "../../storage/open.ts";
import { said } from "../services/backups/stores.ts";
import { addRoles } from "../sql/databases.ts";
import { addPerson } from "../storage/people.ts";
import { configPath } from "../start_task.ts";

/** A store with a link, signed as a server does that was started with it. */
async function signed(url: string): Promise<void> {
  const { env, keep } = await withSecrets({ DATABASE_URL: url });
  await keep();
  const store = await openStore({ url });
  await addRoles(store);
  await addPerson(store, "Ann");
  await new AuditWork({ store, keys: [env.JWT_SECRET!], clock: () => new Date() }).link();
  await store.close();
}

/** Runs the command in a folder, with no secret in its environment. */
async function verify(folder: string, url: string) {
  const task = new URL("../../cli/verify.ts", import.meta.url).pathname;
  const rights = ["--allow-net", "--allow-env", "--allow-read", "--allow-write"];
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "--config", configPath, ...rights, task, "--audit", "--store", url],
    cwd: folder,
    env: { JWT_SECRET: "", AUDIT_KEY: "", DATABASE_URL: "", DENO_KV_PATH: "", NO_COLOR: "1" },
    stdout: "piped",
    stderr: "piped",
  });
  return await said(command.spawn());
}

Deno.test("verify --audit: a store that is named is proved by the secrets beside it", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const elsewhere = join(folder, "elsewhere");
    const own = join(folder, "data");
    await signed(`sqlite:${join(elsewhere, "q.db")}`);
    await signed(`sqlite:${join(own, "q.db")}`);
    const beside = await verify(folder, `sqlite:${join(elsewhere, "q.db")}`);
    assert.match(beside.text, /nothing in the audit log was changed/);
    assert.equal(beside.code, 0, beside.text);

    // A copy without its secrets is proved by those of the settings.
    const alone = join(folder, "alone");
    await Deno.mkdir(alone);
    await Deno.copyFile(join(own, "q.db"), join(alone, "q.db"));
    const copied = await verify(folder, `sqlite:${join(alone, "q.db")}`);
    assert.equal(copied.code, 0, copied.text);
    await Deno.copyFile(join(elsewhere, "secrets.json"), join(alone, "secrets.json"));
    const foreign = await verify(folder, `sqlite:${join(alone, "q.db")}`);
    assert.equal(foreign.code, 1, foreign.text);
    assert.match(foreign.text, /not signed by this server's key/);
    // Where there are none at all, that is no finding.
    await Deno.remove(join(alone, "secrets.json"));
    await Deno.remove(join(own, "secrets.json"));
    const keyless = await verify(folder, `sqlite:${join(alone, "q.db")}`);
    assert.equal(keyless.code, 2, keyless.text);
    assert.match(keyless.text, /there is no key to prove by/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("verify --audit: a log that was emptied, with its chain and the journal, is told by the people there are", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = join(folder, "q.db");
    await signed(`sqlite:${path}`);
    const database = new DatabaseSync(path);
    for (const table of ["log", "links", "checkpoints", "positions"]) {
      database.exec(`delete from audit_${table}`);
    }
    database.exec("delete from journal");
    database.close();
    const emptied = await verify(folder, `sqlite:${path}`);
    assert.equal(emptied.code, 1, emptied.text);
    assert.match(emptied.text, /The audit log is empty, .* in a store with users/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
