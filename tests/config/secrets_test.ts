// Secrets that the environment does not give: made once outside production, kept readable by their owner alone.
import assert from "node:assert/strict";
import { join } from "node:path";
import { parseSettings } from "../../config/settings.ts";
import type { Environment } from "../../config/environment.ts";
import { withSecrets as prepareSecrets } from "../../config/secrets.ts";

const GIVEN = "0123456789abcdef0123456789abcdef";

/** As a start does it: what was made is kept. */
async function withSecrets(given: Environment) {
  const { keep, env, notices } = await prepareSecrets(given);
  return { env: { ...env, ...await keep() }, notices };
}

async function inFolder(test: (folder: string) => Promise<void>) {
  const folder = await Deno.makeTempDir();
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("secrets: generated once, the same at the next start, told in one line", () =>
  inFolder(async (folder) => {
    const env = { DENO_KV_PATH: join(folder, "new", "q.kv") };
    const first = await withSecrets(env);
    const path = join(folder, "new", "secrets.json");
    assert.match(first.env.JWT_SECRET ?? "", /^[0-9a-f]{64}$/);
    assert.deepEqual(first.notices, [`Generated JWT_SECRET, kept in ${path}`]);
    if (Deno.build.os !== "windows") {
      assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
    }
    const second = await withSecrets(env);
    assert.equal(second.env.JWT_SECRET, first.env.JWT_SECRET);
    assert.deepEqual(second.notices, []);
    assert.deepEqual([...Deno.readDirSync(join(folder, "new"))].map((file) => file.name).sort(), [
      "secrets.json",
      "secrets.json.lock",
    ]);
    assert.equal(parseSettings(first.env).secrets.access, first.env.JWT_SECRET);
  }));

Deno.test("secrets: of first starts at once each goes on with what the next one finds", () =>
  inFolder(async (folder) => {
    const env = { DENO_KV_PATH: join(folder, "q.kv") };
    const variants = ["compact", "full", "full", "web"];
    const starts = await Promise.all(
      variants.map((VARIANT) => prepareSecrets({ ...env, VARIANT })),
    );
    const kept = await Promise.all(
      starts.map(async ({ env, keep }) => parseSettings({ ...env, ...await keep() }).secrets),
    );
    for (const [i, VARIANT] of variants.entries()) {
      const next = await withSecrets({ ...env, VARIANT });
      assert.deepEqual(parseSettings(next.env).secrets, kept[i], VARIANT);
    }
  }));

Deno.test("secrets: each variant gets its own, beside those of others", () =>
  inFolder(async (folder) => {
    const env = { DATABASE_URL: `sqlite:${join(folder, "q.db")}` };
    const compact = await withSecrets(env);
    const full = await withSecrets({ ...env, VARIANT: "full" });
    assert.equal(full.env.JWT_SECRET, compact.env.JWT_SECRET);
    assert.match(full.notices[0] ?? "", /^Generated REFRESH_TOKEN_SECRET, /);
    assert.notEqual(full.env.REFRESH_TOKEN_SECRET, full.env.JWT_SECRET);
    parseSettings(full.env);
    const web = await withSecrets({ ...env, VARIANT: "web" });
    assert.match(web.notices[0] ?? "", /^Generated SESSION_SECRET, /);
  }));

Deno.test("secrets: what the environment gives is used, and nothing is written", () =>
  inFolder(async (folder) => {
    const env = { DENO_KV_PATH: join(folder, "q.kv"), JWT_SECRET: GIVEN };
    assert.deepEqual(await withSecrets(env), { env, notices: [] });
    const short = await withSecrets({ ...env, JWT_SECRET: "short" });
    assert.deepEqual(short.notices, [
      "Warning: JWT_SECRET is shorter than 32 characters; production refuses it",
    ]);
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  }));

Deno.test("secrets: a given one wins over a kept one; an empty one does not", () =>
  inFolder(async (folder) => {
    const env = { DENO_KV_PATH: join(folder, "q.kv"), VARIANT: "full" };
    const kept = await withSecrets(env);
    const mixed = await withSecrets({ ...env, JWT_SECRET: GIVEN, REFRESH_TOKEN_SECRET: "" });
    assert.equal(mixed.env.JWT_SECRET, GIVEN);
    assert.equal(mixed.env.REFRESH_TOKEN_SECRET, kept.env.REFRESH_TOKEN_SECRET);
  }));

Deno.test("secrets: none is generated in production", () =>
  inFolder(async (folder) => {
    for (const production of [{ DENO_ENV: "production" }, { DENO_DEPLOYMENT_ID: "a1" }]) {
      const env = { DENO_KV_PATH: join(folder, "q.kv"), ...production };
      const result = await withSecrets(env);
      assert.equal(result.env.JWT_SECRET, undefined);
      assert.throws(() => parseSettings(result.env), /JWT_SECRET: it is required/);
    }
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  }));

Deno.test("secrets: a file that cannot be read stops the start, and is left as it is", () =>
  inFolder(async (folder) => {
    const path = join(folder, "secrets.json");
    await Deno.writeTextFile(path, "{");
    const env = { DENO_KV_PATH: join(folder, "q.kv") };
    await assert.rejects(withSecrets(env), /Cannot read the generated secrets in .*secrets\.json/);
    assert.equal(await Deno.readTextFile(path), "{");
  }));

Deno.test("secrets: nothing is written before they are kept", () =>
  inFolder(async (folder) => {
    const path = join(folder, "new");
    const { env } = await prepareSecrets({ DENO_KV_PATH: join(path, "q.kv") });
    assert.ok(env.JWT_SECRET);
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  }));

Deno.test("secrets: what cannot be written is told with its file, and leaves no draft", () =>
  inFolder(async (folder) => {
    const path = join(folder, "secrets.json");
    const { keep } = await prepareSecrets({ DENO_KV_PATH: join(folder, "q.kv") });
    await Deno.mkdir(`${path}.draft`);
    await assert.rejects(keep(), ({ message }: Error) => message.includes(path));
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["secrets.json.lock"]);
  }));

for (const content of ["null", "[]", "7", '{"JWT_SECRET":7}', "{", ""]) {
  Deno.test(`secrets: a file of '${content}' is refused, with its name and what helps`, () =>
    inFolder(async (folder) => {
      const path = join(folder, "secrets.json");
      await Deno.writeTextFile(path, content);
      await assert.rejects(
        prepareSecrets({ DENO_KV_PATH: join(folder, "q.kv") }),
        ({ message }: Error) => message.includes(path) && /remove it/.test(message),
      );
      assert.equal(await Deno.readTextFile(path), content);
    }));
}
