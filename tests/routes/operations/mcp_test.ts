// The Model Context Protocol by the client of its own SDK, over HTTP: a key sees and calls what it may, as itself.
import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { endpointsOf } from "../../../app.ts";
import { variants } from "../../../config/variants.ts";
import { isTool, toolsOf } from "../../../http/tools.ts";
import { apiKeys } from "../../../models/api_keys.ts";
import { auditLog } from "../../../models/audit.ts";
import { documents } from "../../../models/documents.ts";
import { users } from "../../../models/users.ts";
import { newApiKey } from "../../../services/accounts/api_keys.ts";
import { everyMatch } from "../../../storage/every_match.ts";
import { type Account, type Harness, harness } from "../../harness.ts";

const ON = { MCP: "true", RATE_LIMIT: "false" };

/** A key of an account. */
async function keyOf(h: Harness, account: Account, scopes: readonly string[]) {
  const { key, keyHash, start } = newApiKey();
  const { id } = await h.store.transact({ userId: null }, (tx) =>
    tx.insert(apiKeys, {
      userId: h.accounts[account].id,
      name: "Program",
      keyHash,
      start,
      scopes: [...scopes],
      addresses: [],
    }));
  return { key, id };
}

type Mode = "auto" | "legacy";

interface Program extends AsyncDisposable {
  readonly client: Client;
  readonly url: URL;
  /** The text of the result, and whether it is an error. */
  call(name: string, args?: Record<string, unknown>): Promise<{ text: string; failed: boolean }>;
}

/** A program that is connected to a server of the application. */
async function connect(h: Harness, key: string, mode: Mode = "auto"): Promise<Program> {
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request, info) => h.app.fetch(request, info),
  );
  const url = new URL(`http://127.0.0.1:${server.addr.port}/mcp`);
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  try {
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  } catch (error) {
    await server.shutdown();
    throw error;
  }
  return {
    client,
    url,
    async call(name, args) {
      const result = await client.callTool({ name, arguments: args });
      const [first] = result.content;
      assert.equal(first?.type, "text");
      return { text: first.type === "text" ? first.text : "", failed: result.isError === true };
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await server.shutdown();
    },
  };
}

async function namesFor(h: Harness, key: string): Promise<string[]> {
  await using program = await connect(h, key);
  return (await program.client.listTools()).tools.map(({ name }) => name);
}

const PING = { jsonrpc: "2.0", id: 1, method: "ping" };
const ACCEPT = { accept: "application/json, text/event-stream" };

for (const name of ["compact", "full", "web", "snippets"]) {
  Deno.test(`mcp: off unless it is asked for (${name})`, async () => {
    await using h = await harness({ variant: name });
    const { key: token } = await keyOf(h, "super", ["*"]);
    assert.equal((await h.ask("POST", "/mcp", { token, body: PING })).status, 404);
  });

  Deno.test(`mcp: every tool has a name, schemas and arguments that do not collide (${name})`, async () => {
    const endpoints = endpointsOf(variants[name]!).filter(isTool);
    const tools = await toolsOf(endpoints);
    assert.ok(tools.length > 3);
    assert.equal(new Set(tools.map((tool) => tool.name)).size, tools.length);
    for (const [n, tool] of tools.entries()) {
      assert.match(tool.name, /^[a-zA-Z0-9_-]{1,64}$/);
      const given = Object.keys(tool.inputSchema.properties as object);
      const endpoint = endpoints[n]!;
      const params = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, param]) => param!);
      const query = endpoint.query ? toolQuery(endpoint.query) : [];
      assert.ok(![...params, ...query].includes("body"), tool.name);
      const own = [...params, ...query, ...(endpoint.body ? ["body"] : [])];
      const required = (tool.inputSchema.required ?? []) as string[];
      assert.ok(params.every((param) => required.includes(param)), tool.name);
      assert.ok(given.every((argument) => own.includes(argument)), tool.name);
      assert.ok(JSON.stringify(tool).length < 20_000, tool.name);
    }
  });
}

function toolQuery(query: unknown): string[] {
  const { in: inner, shape } = query as { in?: { shape: object }; shape?: object };
  return Object.keys(inner?.shape ?? shape ?? {});
}

for (const mode of ["auto", "legacy"] as const) {
  Deno.test(`mcp: a program lists the tools and calls them as its key (${mode})`, async () => {
    await using h = await harness({ variant: "full", env: ON });
    const { key, id } = await keyOf(h, "super", ["*"]);
    await using program = await connect(h, key, mode);
    assert.equal(program.client.getServerVersion()?.name, "quarterdeck");
    const { tools } = await program.client.listTools();
    const hints = (name: string) => tools.find((tool) => tool.name === name)?.annotations;
    assert.equal(hints("listDocuments")?.readOnlyHint, true);
    const removing = [
      "deleteDocument",
      "deleteDocuments",
      "unshareDocument",
      "importUsers",
      "runBatch",
    ];
    for (const name of removing) assert.equal(hints(name)?.destructiveHint, true, name);
    assert.equal(hints("createDocument")?.destructiveHint, false);
    assert.equal(hints("createDocument")?.idempotentHint, false);
    // The client holds what it is given to the schema that the list told.
    const body = { title: "Log", content: "Day one" };
    const made = await program.client.callTool({ name: "createDocument", arguments: { body } });
    const { data } = made.structuredContent as { data: { id: string } };
    assert.equal((await h.store.from(documents).get(data.id))?.title, "Log");
    const [entry] = await everyMatch(h.store, auditLog, { target: "documents" });
    assert.equal(entry?.apiKeyId, id);
    assert.equal(entry?.actorId, h.accounts.super.id);
    const list = await program.call("listDocuments", {
      limit: 1,
      title: ["Log", "None"],
      createdAt_gte: "2026-01-01",
    });
    assert.match(list.text, /"total":1/);
    const changed = await program.call("updateDocument", { id: data.id, body: { title: "New" } });
    assert.equal(changed.failed, false, changed.text);
    const batch = await program.call("runBatch", {
      body: { operations: [{ method: "DELETE", path: `/api/documents/${data.id}` }] },
    });
    assert.match(batch.text, /"status":200/);
    assert.equal(await h.store.from(documents).count(), 0);
  });
}

Deno.test("mcp: what every tool without arguments reads is as its schema tells", async () => {
  await using h = await harness({ variant: "full", env: ON });
  const { key } = await keyOf(h, "super", ["*"]);
  await using program = await connect(h, key);
  const { tools } = await program.client.listTools();
  const reads = tools.filter(({ annotations, inputSchema }) =>
    annotations?.readOnlyHint && (inputSchema.required ?? []).length === 0
  );
  assert.ok(reads.length >= 20, `${reads.length}`);
  for (const { name } of reads) {
    const { text, failed } = await program.call(name, {});
    assert.equal(failed, name === "explainAccess", `${name}: ${text}`);
  }
});

Deno.test("mcp: only what the key may do is offered, and nothing that makes credentials or moves bytes", async () => {
  await using h = await harness({ variant: "full", env: ON });
  const all = await namesFor(h, (await keyOf(h, "super", ["*"])).key);
  for (const name of ["listUsers", "createUser", "listRoles", "deleteDocument", "runBatch"]) {
    assert.ok(all.includes(name), name);
  }
  const never = [
    "login",
    "register",
    "logout",
    "createApiKey",
    "listApiKeys",
    "changePassword",
    "uploadFile",
    "downloadFile",
    "impersonateUser",
    "exportUserData",
    "callTools",
    "getMetrics",
  ];
  assert.deepEqual(all.filter((name) => never.includes(name)), []);
  const ids = h.app.endpoints.map(({ operationId }) => operationId);
  assert.ok(ids.filter((id) => never.includes(id)).length >= 11, "the names are those of routes");
  const few = await namesFor(h, (await keyOf(h, "super", ["documents:view"])).key);
  assert.ok(few.includes("listDocuments") && few.includes("getDocument"));
  assert.deepEqual(
    few.filter((name) => /createDocument|listUsers|Role|listFiles|getFile$|Folder/.test(name)),
    [],
  );
  // What its user may not do, no scope opens.
  const guest = await namesFor(h, (await keyOf(h, "guest", ["*"])).key);
  assert.equal(guest.includes("listDocuments"), false);
  await using program = await connect(h, (await keyOf(h, "super", ["documents:view"])).key);
  await assert.rejects(program.call("createDocument", { body: { title: "A" } }), /no tool/);
  assert.equal(await h.store.from(documents).count(), 0);
});

Deno.test("mcp: errors are told in words, and an argument leads nowhere else", async () => {
  await using h = await harness({ variant: "full", env: ON });
  const { key } = await keyOf(h, "super", ["*"]);
  await using program = await connect(h, key);
  const cases: readonly (readonly [string, Record<string, unknown>, RegExp])[] = [
    ["getDocument", { id: "none" }, /^NOT_FOUND \(404\): There is no such document/],
    ["getDocument", {}, /^id: is required/],
    ["getDocument", { id: ".." }, /cannot stand in the path/],
    ["getDocument", { id: { a: 1 } }, /^id: is required/],
    ["deleteDocumentShare", { id: "..", shareId: "x" }, /cannot stand in the path/],
    ["getDocument", { id: "a/../b?c#d" }, /^NOT_FOUND/],
    ["createDocument", {}, /^VALIDATION_ERROR \(400\)[^]*\ntitle: /],
    ["createDocument", { body: "text" }, /^VALIDATION_ERROR \(400\)/],
    ["listDocuments", { limit: "many" }, /^VALIDATION_ERROR \(400\)[^]*\nlimit: /],
    ["listDocuments", { titel: "x" }, /nearest known parameter is title/],
  ];
  for (const [name, args, words] of cases) {
    const { text, failed } = await program.call(name, args);
    assert.equal(failed, true, name);
    assert.match(text, words);
  }
  await assert.rejects(program.call("nothing"), /There is no tool 'nothing'/);
});

Deno.test("mcp: a program imports CSV, which is its argument `body` as a text", async () => {
  await using h = await harness({ env: ON });
  const { key } = await keyOf(h, "super", ["*"]);
  await using program = await connect(h, key);
  const args = { dryRun: false, body: "title\nFrom a program\n" };
  const { text, failed } = await program.call("importDocuments", args);
  assert.equal(failed, false, text);
  assert.equal(JSON.parse(text).data.created, 1);
});

Deno.test("mcp: a key that is revoked, or whose user is suspended, calls nothing more", async () => {
  await using h = await harness({ variant: "full", env: ON });
  const { key, id } = await keyOf(h, "super", ["*"]);
  await using program = await connect(h, key);
  await h.store.transact({ userId: null }, async (tx) => {
    tx.remove(apiKeys, (await tx.from(apiKeys).get(id))!);
  });
  await assert.rejects(program.client.listTools());
  await assert.rejects(program.call("listDocuments"));
  const other = await keyOf(h, "other", ["*"]);
  await using second = await connect(h, other.key);
  await h.store.transact({ userId: null }, async (tx) => {
    const user = await tx.from(users).get(h.accounts.other.id);
    tx.update(users, user!, { status: "suspended" });
  });
  await assert.rejects(second.call("listNotifications"));
  await assert.rejects(connect(h, "qd_nothing"));
});

Deno.test("mcp: takes a key by bearer alone, from no other site, one message at a time, of bounded size", async () => {
  await using h = await harness({
    variant: "web",
    env: { ...ON, PUBLIC_URL: "https://admin.example.com", CORS_ORIGIN: "https://app.example.com" },
  });
  const { key: token } = await keyOf(h, "super", ["*"]);
  const send = (ask: Parameters<Harness["ask"]>[2], method = "POST") =>
    h.ask(method, "/mcp", { token, ...ask, headers: { ...ACCEPT, ...ask?.headers } });
  assert.equal((await send({ body: PING })).status, 200);
  assert.equal((await send({ body: PING, token: h.tokens.super })).status, 401);
  const cookie = { cookie: `token=${token}` };
  assert.equal((await h.ask("POST", "/mcp", { headers: cookie, body: PING })).status, 401);
  const from = (origin: string) => send({ body: PING, headers: { origin } });
  assert.equal((await from("https://admin.example.com")).status, 200);
  assert.equal((await from("https://app.example.com")).status, 200);
  // A page that has its own name lead here is of its own site, by that name.
  assert.equal((await from("http://localhost")).status, 403);
  assert.equal((await from("null")).status, 403);
  assert.equal((await send({ body: [PING, PING] })).status, 400);
  assert.equal(
    (await send({ body: "{", headers: { "content-type": "application/json" } })).status,
    400,
  );
  const long = { ...PING, params: { text: "x".repeat(2 * 1024 * 1024) } };
  assert.equal((await send({ body: long })).status, 413);
  for (const method of ["GET", "DELETE"]) {
    const { status, headers } = await send({}, method);
    assert.equal(status, 405);
    assert.match(headers.get("allow") ?? "", /POST/);
  }
  const listened = await send({ body: { ...PING, method: "subscriptions/listen", params: {} } });
  assert.match(listened.text, /-32601/);
});

Deno.test("mcp: an answer that is too long is told as such", async () => {
  await using h = await harness({ variant: "full", env: ON });
  const { key } = await keyOf(h, "super", ["*"]);
  const { data } = await h.ask("POST", "/api/documents", {
    as: "super",
    body: { title: "Long", content: "x".repeat(500_000) },
  });
  await using program = await connect(h, key);
  const operations = Array.from({ length: 5 }, () => ({
    method: "GET",
    path: `/api/documents/${data.id}`,
  }));
  const { text, failed } = await program.call("runBatch", { body: { operations } });
  assert.equal(failed, true);
  assert.match(text, /ask for less/);
  assert.equal((await program.call("getDocument", { id: data.id })).failed, false);
});
