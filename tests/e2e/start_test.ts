// Start, shutdown and persistence of the real process.
import assert from "node:assert/strict";
import { startServer } from "../server.ts";
import { configPath, environment, permissions } from "../start_task.ts";

async function signIn(origin: string, password: string, email = "admin@example.com") {
  const response = await fetch(`${origin}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  return { status: response.status, body: await response.json() };
}

/** Runs the server until it ends by itself. */
async function failToStart(env: Record<string, string>, folder: string) {
  const main = new URL("../../main.ts", import.meta.url).pathname;
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--config", configPath, ...permissions, main],
    cwd: folder,
    env: { PORT: "0", HOST: "127.0.0.1", ...env },
  }).output();
  return { code, message: new TextDecoder().decode(stderr) };
}

async function temporaryFolder() {
  const path = await Deno.makeTempDir({ prefix: "quarterdeck-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

Deno.test("start: an empty folder is enough; what is printed signs in", async () => {
  await using server = await startServer();
  assert.match(server.announced, /API page: http:\/\/localhost:\d+\/api\/docs/);
  assert.match(server.announced, /Data: Deno KV/);
  const [, email, password] = /Sign in as (\S+) with the password (\S+)/.exec(server.announced)!;
  const { status, body } = await signIn(server.origin, password!, email);
  assert.equal(status, 200);
  assert.equal(body.data.user.role, "super_admin");
  const { mode } = await Deno.stat(`${server.folder}/data/secrets.json`);
  assert.equal(mode! & 0o777, 0o600);
});

Deno.test("start: the container starts as the task does", async () => {
  const container = await Deno.readTextFile(new URL("../../Dockerfile", import.meta.url));
  for (const [name, value] of Object.entries(environment)) {
    assert.ok(container.includes(` ${name}=${value} `), name);
  }
  for (const permission of permissions) {
    assert.ok(container.includes(`"${permission}"`), permission);
  }
});

Deno.test("start: data, secrets and sessions outlive a restart; SIGTERM ends with 0 within 3 s", async () => {
  await using folder = await temporaryFolder();
  const first = await startServer({ ADMIN_PASSWORD: "kept over restarts" }, folder.path);
  const { body } = await signIn(first.origin, "kept over restarts");
  const began = performance.now();
  assert.equal((await first.stop("SIGTERM")).code, 0);
  assert.ok(performance.now() - began < 3000);

  const second = await startServer({}, folder.path);
  assert.equal(/Sign in as/.test(second.announced), false);
  const me = await fetch(`${second.origin}/api/users/me`, {
    headers: { authorization: `Bearer ${body.data.accessToken}` },
  });
  assert.equal(me.status, 200);
  assert.equal((await me.json()).data.email, "admin@example.com");
  await second.stop();
});

Deno.test("start: a request in flight at SIGTERM is answered", async () => {
  await using server = await startServer({ ADMIN_PASSWORD: "answered to the end" });
  const answers = Array.from({ length: 8 }, () => signIn(server.origin, "answered to the end"));
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal((await server.stop("SIGTERM")).code, 0);
  for (const { status } of await Promise.all(answers)) assert.equal(status, 200);
});

Deno.test("start: a second process on the same data file is refused", async () => {
  await using server = await startServer();
  const { code, message } = await failToStart({}, server.folder);
  assert.equal(code, 1);
  assert.match(message, /KV Connect/);
  assert.match(message, /DATABASE_URL/);
});

Deno.test("start: production wants its secret", async () => {
  await using folder = await temporaryFolder();
  const { code, message } = await failToStart({ DENO_ENV: "production" }, folder.path);
  assert.equal(code, 1);
  assert.match(message, /JWT_SECRET/);
  const short = await failToStart({ DENO_ENV: "production", JWT_SECRET: "short" }, folder.path);
  assert.match(short.message, /JWT_SECRET: expected at least 32 characters/);
});

Deno.test("start: a bad setting is named with its problem", async () => {
  await using folder = await temporaryFolder();
  const { code, message } = await failToStart({ JWT_ACCESS_EXPIRES: "15 moons" }, folder.path);
  assert.equal(code, 1);
  assert.match(message, /JWT_ACCESS_EXPIRES: expected .* received '15 moons'/);
});

Deno.test("start: .env is read, and the environment wins over it", async () => {
  await using folder = await temporaryFolder();
  await Deno.writeTextFile(
    `${folder.path}/.env`,
    "ADMIN_EMAIL=captain@example.com\nAPI_URL=/from-file\n",
  );
  const server = await startServer({ API_URL: "/from-env" }, folder.path);
  assert.match(server.announced, /captain@example.com/);
  assert.match(server.announced, /\/from-env\/docs/);
  await server.stop();
});
