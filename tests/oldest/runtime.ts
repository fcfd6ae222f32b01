// The oldest runtime that is supported (Deno Deploy's): the server starts there by its task, and the main things work.
// Run by `deno task test:oldest`, for it brings that runtime from npm: OLDEST_DENO names its executable.
import assert from "node:assert/strict";
import { permissionFlags } from "../../cli/permissions.ts";
import { openCollector } from "../collector.ts";
import { Listener } from "../event_stream.ts";
import { picture } from "../pictures.ts";
import { kvConnectDatabase } from "../shared_databases.ts";
import { configPath, environment } from "../start_task.ts";
import { until } from "../until.ts";
import { openReceiver } from "../webhook_receiver.ts";

const deno = Deno.env.get("OLDEST_DENO");
assert.ok(deno, "OLDEST_DENO must name the executable of the oldest Deno");
const VERSION = "2.5.0";
const main = new URL("../../main.ts", import.meta.url).pathname;
const PASSWORD = "kept by the oldest runtime";
const ADMIN = { email: "admin@example.com", password: PASSWORD };

interface Server extends AsyncDisposable {
  ask(method: string, path: string, token?: string, body?: unknown): Promise<Response>;
}

/** The command of `deno task start`, run by that runtime on a free port. */
async function startOldest(settings: Record<string, string>, folder: string): Promise<Server> {
  const env = {
    ...environment,
    PORT: "0",
    HOST: "127.0.0.1",
    LOG_LEVEL: "error",
    ADMIN_PASSWORD: PASSWORD,
    JWT_SECRET: "the access secret of the oldest runtime",
    REFRESH_TOKEN_SECRET: "the refresh secret of the oldest runtime",
    ...settings,
  };
  const flags = permissionFlags({ env, folder, version: VERSION });
  const process = new Deno.Command(deno!, {
    args: ["run", "--quiet", "--frozen", "--config", configPath, ...flags, main],
    cwd: folder,
    env,
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const lines = process.stdout.pipeThrough(new TextDecoderStream() as TransformStream);
  const reader: ReadableStreamDefaultReader<string> = lines.getReader();
  let said = "";
  let port: string | undefined;
  while ((port = /listens on http:\/\/localhost:(\d+)/.exec(said)?.[1]) === undefined) {
    const { value, done } = await reader.read();
    assert.ok(!done, `the server did not start: ${said}`);
    said += value;
  }
  const drained = (async () => {
    while (!(await reader.read()).done);
  })();
  return {
    ask: (method, path, token, body) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: {
          ...(token ? { authorization: `Bearer ${token}` } : {}),
          ...(body === undefined || body instanceof FormData
            ? {}
            : { "content-type": "application/json" }),
        },
        body: body === undefined || body instanceof FormData ? body : JSON.stringify(body),
      }),
    async [Symbol.asyncDispose]() {
      process.kill("SIGTERM");
      await drained;
      await process.status;
    },
  };
}

const connected = kvConnectDatabase();
const engines: Record<string, (folder: string) => Record<string, string>> = {
  "Deno KV": (folder) => ({ DENO_KV_PATH: `${folder}/main.kv` }),
  SQLite: (folder) => ({ VARIANT: "full", DATABASE_URL: `sqlite:${folder}/main.db` }),
  "KV Connect": () => ({ VARIANT: "full", DATABASE_URL: connected.url }),
};
Deno.test.afterAll(() => connected.drop());

Deno.test("oldest runtime: it is the one that is meant", async () => {
  const { stdout } = await new Deno.Command(deno!, { args: ["--version"] }).output();
  assert.match(new TextDecoder().decode(stdout), new RegExp(`^deno ${VERSION} `));
});

for (const [name, settings] of Object.entries(engines)) {
  Deno.test(`oldest runtime, ${name}: signs in, writes, tells, reads, shows its pages`, async () => {
    const folder = await Deno.makeTempDir({ prefix: "quarterdeck-oldest-" });
    try {
      await using server = await startOldest(settings(folder), folder);
      const login = await server.ask("POST", "/api/auth/login", undefined, ADMIN);
      assert.equal(login.status, 200);
      const { accessToken: token } = await login.json();

      const opened = await server.ask(
        "GET",
        "/api/events?collections=documents&records=true",
        token,
      );
      assert.equal(opened.status, 200);
      const listener = new Listener(opened);
      const made = await server.ask("POST", "/api/documents", token, { title: "Made long ago" });
      assert.equal(made.status, 201);
      const { data } = await made.json();
      const told = await listener.event("documents.created", data.id);
      assert.equal(told.data.record.title, "Made long ago");
      await listener.reaches(made.headers.get("x-journal-position")!);
      await listener.drop();
      const again = await server.ask(
        "GET",
        "/api/events?collections=documents&lastEventId=earliest",
        token,
      );
      const replayed = new Listener(again);
      assert.equal((await replayed.event("documents.created", data.id)).id, told.id);
      await replayed.drop();

      const read = await server.ask("GET", `/api/documents/${data.id}`, token);
      assert.equal((await read.json()).data.title, "Made long ago");

      // What fails is rolled back, so that the next one can begin.
      const invited = { name: "Twice", email: "twice@example.com" };
      for (const status of [201, 409, 409]) {
        const reply = await server.ask("POST", "/api/users", token, invited);
        assert.equal(reply.status, status);
        await reply.body?.cancel();
      }
      const next = await server.ask("POST", "/api/documents", token, { title: "After it" });
      assert.equal(next.status, 201);
      await next.body?.cancel();

      const today = await server.ask("GET", "/api/dashboard/calendar?tz=Europe/Berlin", token);
      assert.equal(today.status, 200);
      await today.body?.cancel();
      const markdown = await server.ask("POST", "/api/markdown", undefined, { markdown: "# Old" });
      assert.match((await markdown.json()).html, /<h1>Old<\/h1>/);
      const script = await server.ask("GET", "/api/docs/swagger-ui.js");
      assert.ok((await script.text()).length > 100_000);

      const wrong = { ...ADMIN, password: "not this one" };
      const refused = await server.ask("POST", "/api/auth/login", undefined, wrong);
      assert.equal(refused.status, 401);
      await refused.body?.cancel();
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

for (const [name, settings] of Object.entries(engines)) {
  Deno.test(`oldest runtime, ${name}: files, pictures, exports, keys, the trash, webhooks`, async () => {
    const folder = await Deno.makeTempDir({ prefix: "quarterdeck-oldest-" });
    try {
      await using receiver = openReceiver();
      await using server = await startOldest({
        ...settings(folder),
        WEBHOOK_ALLOW_PRIVATE: "true",
        UPLOAD_TYPES: "image/png",
      }, folder);
      const login = await server.ask("POST", "/api/auth/login", undefined, ADMIN);
      const { accessToken: token } = await login.json();
      const done = async (status: number, ...asked: Parameters<Server["ask"]>) => {
        const response = await server.ask(...asked);
        assert.equal(response.status, status, `${asked[0]} ${asked[1]}`);
        return response;
      };

      const bytes = picture(640, 480);
      const form = new FormData();
      form.set("file", new File([bytes], "old.png", { type: "image/png" }));
      const upload = await done(201, "POST", "/api/files/upload", token, form);
      const { data: file } = await upload.json();
      const download = await done(200, "GET", `/api/files/${file.id}/download`, token);
      assert.deepEqual(await download.bytes(), new Uint8Array(bytes));
      const thumbnail = await done(200, "GET", `/api/files/${file.id}/thumbnail`, token);
      assert.match(thumbnail.headers.get("content-type")!, /^image\//);
      assert.ok((await thumbnail.bytes()).length > 0);

      const csv = await done(200, "GET", "/api/users/export?format=csv", token);
      assert.match(await csv.text(), /admin@example\.com/);

      const scopes = ["documents:view", "documents:create"];
      const key = await done(201, "POST", "/api/auth/keys", token, { name: "Old", scopes });
      const { data: { key: secret } } = await key.json();
      const hook = { url: receiver.url, events: ["documents.created"] };
      await (await done(201, "POST", "/api/webhooks", token, hook)).body?.cancel();
      const title = { title: "By a key" };
      const made = await done(201, "POST", "/api/documents", secret, title);
      const { data: document } = await made.json();
      await receiver.arrived(1);
      assert.equal(receiver.received[0]!.event.data.id, document.id);

      const path = `/api/documents/${document.id}`;
      await (await done(200, "DELETE", path, token)).body?.cancel();
      const { data: [entry] } = await (await done(200, "GET", "/api/trash", token)).json();
      const restore = `/api/trash/${entry.id}/restore`;
      await (await done(200, "POST", restore, token)).body?.cancel();
      assert.equal((await (await done(200, "GET", path, token)).json()).data.title, "By a key");

      // What this runtime cannot do is said, not tried.
      const backup = await done(name === "KV Connect" ? 202 : 409, "POST", "/api/backups", token);
      const begun = await backup.json();
      if (backup.status === 409) assert.match(begun.message, /later version/);
      else {
        const look = async () =>
          (await (await done(200, "GET", `/api/backups/${begun.data.id}`, token)).json()).data;
        await until(async () => (await look()).state !== "running");
        assert.equal((await look()).state, "done");
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

Deno.test("oldest runtime: a password hashed there fits here, and the other way round", async () => {
  const { byWebAssembly } = await import("../../services/accounts/argon2.ts");
  const { hashPassword, verifyPassword } = await import("../../services/accounts/passwords.ts");
  const phc = await hashPassword(PASSWORD);
  assert.ok(await verifyPassword(PASSWORD, phc));
  const [, , , , salt, hash] = phc.split("$");
  const derived = await byWebAssembly(
    new TextEncoder().encode(PASSWORD),
    { salt: Uint8Array.fromBase64(salt!), memory: 19456, passes: 2, parallelism: 1 },
    32,
  );
  assert.equal(derived.toBase64({ omitPadding: true }), hash);
});

Deno.test("oldest runtime: what it traces has its route, and no secret of an address", async () => {
  await using collector = openCollector();
  const folder = await Deno.makeTempDir({ prefix: "quarterdeck-oldest-" });
  try {
    await using server = await startOldest(collector.env, folder);
    const answer = await server.ask("GET", "/api/events?ticket=hidden");
    await answer.body?.cancel();
    await collector.span(({ name }) => name === "GET /api/events", "the request");
    assert.ok(!collector.texts.some((text) => text.includes("hidden")));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
