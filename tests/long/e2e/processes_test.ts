// Two processes on one database: what one does holds on the other, and what is to be done once is done once.
import assert from "node:assert/strict";
import { rateLimits } from "../../../services/accounts/limits.ts";
import { type Client, client, signIn } from "../../client.ts";
import { type Server, startServer } from "../../server.ts";
import { eachShared } from "../../shared_databases.ts";
import { pause, until } from "../../until.ts";

const PASSWORD = "shared by two processes";

eachShared("processes: two on one database agree", async ({ url }) => {
  const env = {
    VARIANT: "full",
    DATABASE_URL: url,
    ADMIN_PASSWORD: PASSWORD,
    JWT_SECRET: "the same access secret in both processes",
    REFRESH_TOKEN_SECRET: "the same refresh secret in both processes",
  };
  // Started at once: migrations and the first administrator happen once.
  const [one, two] = await Promise.all([startServer(env), startServer(env)]);
  await using _one = one;
  await using _two = two;
  const token = await signIn(one, PASSWORD);
  const admin = client(one, token);
  await Promise.all([
    reminderFiresOnce(admin),
    revocationReaches(one, two, admin),
    roleChangesReach(two, admin),
    guessesCountAtBoth(one, two),
    keysAreUsedOnce([one, two], token),
    checkInIsOnceADay([one, two]),
    uploadIsReadThere(one, two, token),
  ]);
});

/** One key, sent to both at once and again. */
async function keysAreUsedOnce(servers: readonly Server[], token: string): Promise<void> {
  const create = async ({ origin }: Server, key: string, title: string) => {
    const response = await fetch(`${origin}/api/documents`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "idempotency-key": key,
      },
      body: JSON.stringify({ title }),
    });
    return { status: response.status, text: await response.text() };
  };
  for (let n = 0; n < 10; n++) {
    const key = `once-${n}`;
    const both = await Promise.all(servers.map((server) => create(server, key, "Once")));
    // Whoever comes while the other is under way is told so.
    assert.ok(both.every(({ status }) => status === 201 || status === 409), JSON.stringify(both));
    const made = both.find(({ status }) => status === 201)!;
    for (const server of servers) assert.deepEqual(await create(server, key, "Once"), made);
    for (const server of servers) assert.equal((await create(server, key, "Other")).status, 422);
  }
  const { body } = await client(servers[1]!, token)("GET", "/api/documents?search=Once");
  assert.equal(body.pagination.total, 10);
}

async function checkInIsOnceADay(servers: readonly Server[]): Promise<void> {
  const login = await fetch(`${servers[0]!.origin}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "admin@example.com", password: PASSWORD }),
  });
  await login.body?.cancel();
  const cookie = login.headers.getSetCookie().map((one) => one.split(";", 1)[0]).join("; ");
  const answers = await Promise.all([...servers, ...servers].map(async ({ origin }) => {
    const response = await fetch(`${origin}/api/checkin`, { method: "POST", headers: { cookie } });
    return { status: response.status, body: await response.json() };
  }));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409]);
  assert.equal(new Set(answers.map(({ body }) => body.points)).size, 1);
}

async function uploadIsReadThere(one: Server, two: Server, token: string): Promise<void> {
  const bytes = new Uint8Array(180_000).map((_, n) => n % 251);
  bytes.set(new TextEncoder().encode("%PDF-1.7\n"));
  const form = new FormData();
  form.set("file", new File([bytes], "shared.pdf", { type: "application/pdf" }));
  const { status, body } = await client(one, token)("POST", "/api/files/upload", form);
  assert.equal(status, 201, JSON.stringify(body));
  const response = await fetch(`${two.origin}/api/files/${body.data.id}/download`, {
    headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(response.status, 200);
  assert.deepEqual(new Uint8Array(await response.arrayBuffer()), bytes);
}

async function createUser(admin: Client, name: string, role = "user"): Promise<string> {
  const email = `${name}@example.com`;
  const body = { name: `${name} person`, email, password: PASSWORD, role };
  const { status, body: answer } = await admin("POST", "/api/users", body);
  assert.equal(status, 201, JSON.stringify(answer));
  return answer.data.id;
}

async function revocationReaches(one: Server, two: Server, admin: Client): Promise<void> {
  const id = await createUser(admin, "ada");
  const token = await signIn(two, PASSWORD, "ada@example.com");
  const [here, there] = [client(one, token), client(two, token)];
  assert.equal((await here("GET", "/api/users/me")).status, 200);
  assert.equal((await there("GET", "/api/users/me")).status, 200);
  await admin("PUT", `/api/users/${id}`, { status: "suspended" });
  assert.equal((await here("GET", "/api/users/me")).status, 401, "at once on the same process");
  await until(async () => (await there("GET", "/api/users/me")).status === 401, "the other's 401");
}

async function roleChangesReach(two: Server, admin: Client): Promise<void> {
  const role = await admin("POST", "/api/roles", {
    name: "auditor",
    label: "Auditor",
    permissions: ["users:view"],
  });
  await createUser(admin, "bela", "auditor");
  const bela = client(two, await signIn(two, PASSWORD, "bela@example.com"));
  assert.equal((await bela("GET", "/api/users")).status, 200);
  await admin("PUT", `/api/roles/${role.body.data.id}/permissions`, {
    permissions: ["dashboard:view"],
  });
  await until(async () => (await bela("GET", "/api/users")).status === 403, "the other's 403");
}

async function guessesCountAtBoth(one: Server, two: Server): Promise<void> {
  const email = "nobody@example.com";
  const guess = async (server: Server) =>
    (await client(server)("POST", "/api/auth/login", { email, password: "a guess" })).status;
  const { perPair } = rateLimits.login;
  for (let n = 0; n < perPair; n++) assert.equal(await guess(one), 401);
  assert.equal(await guess(one), 429);
  let accepted = 0;
  while (await guess(two) === 401) {
    assert.ok(++accepted < perPair / 2, "what failed at one does not count at the other");
    await pause(4000);
  }
}

async function reminderFiresOnce(admin: Client): Promise<void> {
  const start = new Date(Date.now() + 3_600_000).toISOString();
  const event = await admin("POST", "/api/calendar/events", { title: "Watch", start });
  // Not yet over when a busy machine has it set.
  const remindAt = new Date(Date.now() + 15_000).toISOString();
  const set = await admin("POST", `/api/calendar/events/${event.body.data.id}/reminder`, {
    remindAt,
  });
  assert.ok(set.status < 300, JSON.stringify(set.body));
  const fired = async () => {
    const { body } = await admin("GET", "/api/notifications?search=Watch");
    return body.pagination.total as number;
  };
  await until(async () => await fired() > 0, "the reminder");
  // Both processes have looked again by then.
  await pause(6000);
  assert.equal(await fired(), 1);
}
