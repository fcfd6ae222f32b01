// Start, shutdown and persistence of the real process.
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { openStore } from "../../storage/open.ts";
import { client, signIn } from "../client.ts";
import { END, requestBegun, startServer, waitedInVain } from "../server.ts";
import { until } from "../until.ts";
import { configPath, devTask, environment, permissionsFor, startTask } from "../start_task.ts";

/** Runs the server until it ends by itself. */
async function failToStart(env: Record<string, string>, folder: string) {
  const main = new URL("../../main.ts", import.meta.url).pathname;
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--config", configPath, ...permissionsFor(env, folder), main],
    cwd: folder,
    env: { PORT: "0", HOST: "127.0.0.1", ...env },
  }).output();
  return { code, message: new TextDecoder().decode(stderr) };
}

async function temporaryFolder() {
  const path = await Deno.makeTempDir({ prefix: "quarterdeck-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** Sends the request that is told where there is no administrator. */
async function setUpAsTold(printed: string): Promise<Response> {
  const [, url, header, body] = /curl (\S+) -H (\S+) -d '(.*)'/.exec(printed)!;
  const said = { name: "Grace Keel", email: "grace@example.com", password: "a quiet harbour" };
  return await fetch(url!, {
    method: "POST",
    headers: [header!.split(":") as [string, string]],
    body: body!.replaceAll(
      /"(\w+)":"…"/g,
      (_, key: keyof typeof said) => `"${key}":"${said[key]}"`,
    ),
  });
}

Deno.test("start: on this machine alone, the administrator is named by a request, and no password is printed", async () => {
  await using server = await startServer({ ADMIN_PASSWORD: "", HOST: "0.0.0.0" });
  const told = () =>
    /Open http:\/\/localhost:\d+\/ to name the administrator/.test(server.printed());
  await until(told, "the line about the administrator");
  const printed = server.printed();
  assert.equal(/[Pp]assword [^"]/.test(printed), false, printed);
  const answer = await setUpAsTold(printed);
  assert.equal(answer.status, 200, await answer.clone().text());
  const { accessToken } = await answer.json();
  const me = await client(server, accessToken)("GET", "/api/users/me");
  assert.deepEqual([me.body.data.role, me.body.data.name], ["super_admin", "Grace Keel"]);
});

Deno.test("start: an empty folder is enough; what is printed where others reach it signs in", async () => {
  await using server = await startServer({ ADMIN_PASSWORD: "", PUBLIC_URL: "http://desk.example" });
  assert.match(server.announced, /API page: http:\/\/localhost:\d+\/api\/docs/);
  assert.match(server.announced, /Data: Deno KV/);
  const [, email, password] = /Sign in as (\S+) with the password (\S+)/.exec(server.announced)!;
  const me = await client(server, await signIn(server, password!, email))("GET", "/api/users/me");
  assert.equal(me.body.data.role, "super_admin");
  const { mode } = await Deno.stat(`${server.folder}/data/secrets.json`);
  assert.equal(mode! & 0o777, 0o600);
});

Deno.test("start: where there is no page to name the administrator, the request alone is told", async () => {
  for (const [name, value] of [["VARIANT", "snippets"], ["CONSOLE", "false"]] as const) {
    await using server = await startServer({ [name]: value, ADMIN_PASSWORD: "" });
    const told = () => /Name the administrator: curl \S+\/setup /.test(server.printed());
    await until(told, "the line about the administrator");
    assert.doesNotMatch(server.printed(), /Open /);
    const answer = await setUpAsTold(server.printed());
    assert.equal(answer.status, 200, await answer.text());
  }
});

/** Names of the threads of a process, where the system tells them (Linux). */
async function threadsOf({ pid }: Deno.ChildProcess): Promise<string[]> {
  const args = ["-c", `cat /proc/${pid}/task/*/comm`];
  const { stdout } = await new Deno.Command("sh", { args, stderr: "null" }).output();
  return new TextDecoder().decode(stdout).split("\n");
}

Deno.test("start: threads take memory only once there is work for one", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  await using server = await startServer();
  const workers = async () =>
    (await threadsOf(server.process)).filter((name) => /^worker-/.test(name)).length;
  assert.equal(await workers(), 0);
  const converted = await client(server)("POST", "/api/markdown", { markdown: "# Charts" });
  assert.equal(converted.status, 200);
  // Started by the server: one that a thread starts does nothing for a second in Deno 2.9.1 to 2.9.6.
  assert.equal(await workers(), 1);
});

Deno.test("start: the container starts as the task does, and so does the one that watches the sources", async () => {
  assert.equal(devTask, startTask.replace("deno run --frozen", "deno run --watch --frozen"));
  const container = await Deno.readTextFile(new URL("../../Dockerfile", import.meta.url));
  for (const [name, value] of Object.entries(environment)) {
    assert.ok(container.includes(` ${name}=${value} `), name);
  }
  const command = startTask.slice(startTask.indexOf("deno run"));
  const contained = command.replaceAll("deno run --frozen", "deno run --cached-only --frozen");
  assert.ok(container.includes(contained), contained);
  // Whoever pins the image by its digest pins all of it.
  const images = [...container.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
  assert.deepEqual(new Set(images), new Set(["${DENO_IMAGE}"]));
});

Deno.test("start: data, secrets and sessions outlive a restart; SIGTERM ends with 0, soon", async () => {
  await using folder = await temporaryFolder();
  const env = { ADMIN_PASSWORD: "kept over restarts", LOG_LEVEL: "warn" };
  const first = await startServer(env, folder.path, { keepLog: true });
  const token = await signIn(first, "kept over restarts");
  assert.equal((await first.stop("SIGTERM")).code, 0);
  const logged = await first.logged;
  assert.ok(waitedInVain(logged) <= END, logged);

  const second = await startServer({}, folder.path);
  assert.equal(/Sign in as/.test(second.announced), false);
  const me = await client(second, token)("GET", "/api/users/me");
  assert.deepEqual([me.status, me.body.data.email], [200, "admin@example.com"]);
  await second.stop();
});

Deno.test("start: requests in flight at SIGTERM are answered", async () => {
  await using server = await startServer({ ADMIN_PASSWORD: "answered to the end" });
  // What costs little: the server gives itself three seconds, and a busy machine takes them for a few passwords.
  const body = JSON.stringify({ content: "almost lost" });
  const begun = await Promise.all(
    Array.from({ length: 8 }, () => requestBegun(server.origin, "/api/share", { body })),
  );
  assert.equal((await server.stop("SIGTERM")).code, 0);
  for (const connection of begun) {
    assert.match(await new Response(connection.readable).text(), /^HTTP\/1.1 201 /);
  }
});

for (
  const [engine, url] of [["Deno KV", "kv:data/q.kv"], ["SQLite", "sqlite:data/q.db"]] as const
) {
  Deno.test(`start: a second server on the same data file is refused, until the first is gone (${engine})`, async () => {
    const env = { DATABASE_URL: url };
    await using folder = await temporaryFolder();
    const first = await startServer(env, folder.path);
    const { code, message } = await failToStart(env, folder.path);
    assert.equal(code, 1);
    assert.match(message, /KV Connect/);
    assert.match(message, /DATABASE_URL/);
    await first.stop("SIGKILL");
    const second = await startServer(env, folder.path);
    await second.stop();
  });
}

Deno.test("start: production wants its secret", async () => {
  await using folder = await temporaryFolder();
  const { code, message } = await failToStart({ DENO_ENV: "production" }, folder.path);
  assert.equal(code, 1);
  assert.match(message, /JWT_SECRET/);
  const short = await failToStart({ DENO_ENV: "production", JWT_SECRET: "short" }, folder.path);
  assert.match(short.message, /JWT_SECRET: expected at least 32 characters/);
});

Deno.test("start: production without mail is warned of in the log", async () => {
  const env = { DENO_ENV: "production", JWT_SECRET: "0".repeat(32), LOG_LEVEL: "warn" };
  const server = await startServer(
    { ...env, ADMIN_PASSWORD: "a quiet harbour" },
    undefined,
    { keepLog: true },
  );
  await server[Symbol.asyncDispose]();
  assert.match(await server.logged, /"WARN","message":"SMTP_URL is not set: no mail goes out/);
});

Deno.test("start: a role that is to need a second factor and is not there is warned of in the log", async () => {
  const env = { MFA_REQUIRED_ROLES: "super_admn,admin", LOG_LEVEL: "warn" };
  const server = await startServer(env, undefined, { keepLog: true });
  await server[Symbol.asyncDispose]();
  const logged = await server.logged;
  assert.match(logged, /"WARN","message":"MFA_REQUIRED_ROLES: there is no role 'super_admn'/);
  assert.equal(logged.match(/MFA_REQUIRED_ROLES/g)!.length, 1, logged);
});

Deno.test("start: a bad setting is named with its problem", async () => {
  await using folder = await temporaryFolder();
  const { code, message } = await failToStart({ JWT_ACCESS_EXPIRES: "15 moons" }, folder.path);
  assert.equal(code, 1);
  assert.match(message, /JWT_ACCESS_EXPIRES: expected .* received '15 moons'/);
});

Deno.test("start: a .env that cannot be read is named, with what helps", async () => {
  await using folder = await temporaryFolder();
  // What a container runtime makes of a file to mount that is missing.
  await Deno.mkdir(`${folder.path}/.env`);
  const { code, message } = await failToStart({}, folder.path);
  assert.equal(code, 1);
  assert.match(
    message,
    /^Cannot start: Cannot read \.env: it is a folder\. Put a file in its place/,
  );
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

Deno.test("start: where the port is taken, the message names it and nothing is made", async () => {
  await using folder = await temporaryFolder();
  using taken = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = taken.addr;
  const { code, message } = await failToStart({ PORT: String(port) }, folder.path);
  assert.equal(code, 1);
  assert.match(message, new RegExp(`PORT: ${port} is taken on 127\\.0\\.0\\.1`));
  assert.deepEqual([...Deno.readDirSync(folder.path)], []);
  // The password of the administrator is shown by the start that makes him.
  const env = { ADMIN_PASSWORD: "", PUBLIC_URL: "http://desk.example" };
  const server = await startServer(env, folder.path);
  assert.match(server.announced, /\n\n.*Sign in as \S+ with the password \S+ .*\n\n/);
  await server.stop();
});

Deno.test("start: data is for its owner alone, and whoever may read more is told", async () => {
  for (const [variant, file] of [["compact", "quarterdeck.kv"], ["full", "quarterdeck.db"]]) {
    await using folder = await temporaryFolder();
    const data = `${folder.path}/data`;
    const mode = async (path: string) => ((await Deno.stat(path)).mode ?? 0) & 0o777;
    const first = await startServer({ VARIANT: variant! }, folder.path);
    assert.equal(await mode(data), 0o700);
    for await (const { name } of Deno.readDir(data)) {
      assert.equal(await mode(`${data}/${name}`), 0o600, name);
    }
    assert.ok((await Array.fromAsync(Deno.readDir(data))).some(({ name }) => name === file));
    assert.doesNotMatch(first.announced, /Warning/);
    await first.stop();

    await Deno.chmod(`${data}/${file}`, 0o644);
    const second = await startServer({ VARIANT: variant! }, folder.path);
    assert.match(second.announced, new RegExp(`Warning: .*${file} \\(mode 644\\); chmod 600`));
    await second.stop();
  }
});

Deno.test("start: a data file that cannot be used is named, with the cause and what helps", async () => {
  await using folder = await temporaryFolder();
  await Deno.writeTextFile(`${folder.path}/text`, "no database ".repeat(1000));
  await Deno.mkdir(`${folder.path}/folder`);
  const damaged = /it is no database, or is damaged .*Restore it from a backup/;
  const expected: [url: string, message: RegExp][] = [
    ["text", damaged],
    ["folder", /it is a folder/],
    ["text/below", /a part of the path is a file/],
  ];
  for (const engine of ["kv", "sqlite"]) {
    for (const [path, cause] of expected) {
      const url = `${engine}:${folder.path}/${path}`;
      await assert.rejects(openStore({ url }), ({ message }: Error) => {
        assert.ok(message.startsWith(`Cannot open the data file ${folder.path}/${path}`), message);
        assert.match(message, cause, url);
        return true;
      });
    }
    // The process tells no more than that.
    const env = { DATABASE_URL: `${engine}:text`, ADMIN_PASSWORD: "not needed yet" };
    const { code, message } = await failToStart(
      { ...env, JWT_SECRET: "0123456789abcdef0123456789abcdef" },
      folder.path,
    );
    assert.equal(code, 1);
    assert.match(message, /Cannot open the data file text/, engine);
    assert.match(message, damaged, engine);
    assert.doesNotMatch(message, /\n\s+at /);
  }
});

Deno.test("start: a data file of the other engine is refused, not taken for an empty store", async () => {
  await using folder = await temporaryFolder();
  for (const [engine, other, name] of [["kv", "sqlite", "Deno KV"], ["sqlite", "kv", "SQLite"]]) {
    const path = `${folder.path}/store.${engine}`;
    // Twice: the file of an empty store, too, is one's own.
    for (let n = 0; n < 2; n++) await (await openStore({ url: `${engine}:${path}` })).close();
    await assert.rejects(openStore({ url: `${other}:${path}` }), ({ message }: Error) => {
      const start =
        `Cannot open the data file ${path}: it is a file of ${name}: name it ${engine}:${path}`;
      assert.ok(message.startsWith(start), message);
      return true;
    });
  }
});

Deno.test("start: a database of another program is refused, and left as it is", async () => {
  await using folder = await temporaryFolder();
  const path = `${folder.path}/places.sqlite`;
  const database = new DatabaseSync(path);
  database.exec("create table bookmarks (id integer primary key)");
  database.close();
  const before = await Deno.readFile(path);
  for (const engine of ["kv", "sqlite"]) {
    await assert.rejects(openStore({ url: `${engine}:${path}` }), ({ message }: Error) => {
      const start = `Cannot open the data file ${path}: it is a database of another program`;
      assert.ok(message.startsWith(start), message);
      return true;
    });
    assert.deepEqual(await Deno.readFile(path), before, engine);
  }
});

Deno.test("start: a store that cannot be reached is told with the variable that names it", async () => {
  await using folder = await temporaryFolder();
  // The port of tcpmux, which nothing here listens on.
  const { code, message } = await failToStart(
    { DATABASE_URL: "postgres://desk:hunter2@127.0.0.1:1/desk", ADMIN_PASSWORD: "not needed yet" },
    folder.path,
  );
  assert.equal(code, 1);
  assert.match(message, /^Cannot start: DATABASE_URL: Cannot reach the store: .*127\.0\.0\.1:1$/m);
  assert.doesNotMatch(message, /hunter2|\n\s+at /);
});

Deno.test("start: a second signal ends the process at once", async () => {
  await using server = await startServer({ ADMIN_PASSWORD: "in no hurry at all" });
  // HTTP/2 without farewell: the first signal waits a while for it.
  const { hostname, port } = new URL(server.origin);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  await connection.write(new TextEncoder().encode("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
  await connection.read(new Uint8Array(100));
  server.process.kill("SIGTERM");
  const { code } = await server.stop("SIGINT");
  // 128 and the number of the signal that came second, which the system decides when both wait.
  assert.ok([130, 143].includes(code), `${code}`);
});
