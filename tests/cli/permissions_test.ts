// What the server may touch, computed from its settings.
import assert from "node:assert/strict";
import { permissionFlags } from "../../cli/permissions.ts";

const folder = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");
const flags = (env: Record<string, string>, from = folder, version = "2.9.6") =>
  permissionFlags({ env, folder: from, version });

Deno.test("permissions: reads the application and the data, writes the data", () => {
  const given = flags({});
  assert.ok(
    given.some((flag) =>
      /^--allow-read=\.,\.env,data,data\/backups,[^,]*swagger-ui-dist/.test(flag)
    ),
    String(given),
  );
  assert.ok(given.includes("--allow-write=data,data/backups"));
  assert.ok(given.includes("--no-prompt"));
});

Deno.test("permissions: the data may be anywhere", () => {
  const table: [Record<string, string>, string][] = [
    [{ DENO_KV_PATH: "/var/lib/quarterdeck/main.kv" }, "/var/lib/quarterdeck"],
    [{ DATABASE_URL: "sqlite:files/main.db" }, "files"],
    [{ DATABASE_URL: "postgres://db.example.com/main" }, "data"],
    [{ VARIANT: "full" }, "data"],
    [{ DENO_KV_PATH: "https://kv.example.com" }, "data"],
  ];
  for (const [env, path] of table) {
    assert.ok(flags(env).includes(`--allow-write=${path},${path}/backups`), JSON.stringify(env));
  }
  const certified = flags({ PGSSLROOTCERT: "/etc/ca.pem" });
  assert.ok(certified.some((flag) => /^--allow-read=.*,\/etc\/ca\.pem$/.test(flag)));
  assert.ok(flags({}, "/srv").some((flag) => flag.startsWith(`--allow-read=${folder},.env,data`)));
});

Deno.test("permissions: a path that a command line cannot hold opens all", () => {
  const given = flags({ DENO_KV_PATH: "/var/my data/main.kv" });
  assert.ok(given.includes("--allow-read") && given.includes("--allow-write"));
});

Deno.test("permissions: the variables of the settings, where the runtime can show a part", () => {
  const named = flags({}).find((flag) => flag.startsWith("--allow-env="))!;
  for (const name of ["PORT", "JWT_SECRET", "SESSION_SECRET", "PG*"]) {
    assert.ok(named.split(/[=,]/).includes(name), name);
  }
  assert.ok(!named.includes("HOME"));
  assert.ok(flags({}).includes("--ignore-env"));
  assert.ok(flags({}, folder, "2.5.0").includes("--allow-env"));
  assert.ok(!flags({}, folder, "2.5.0").includes("--ignore-env"));
});
