// Two processes on one Postgres: what one does holds on the other, and reminders fire once.
import assert from "node:assert/strict";
import { rateLimits } from "../../../services/accounts/limits.ts";
import { type Client, client, signIn } from "../../client.ts";
import { type Server, startServer } from "../../server.ts";
import { postgresDatabase } from "../../sql/databases.ts";
import { pause, until } from "../../until.ts";

const PASSWORD = "shared by two processes";

Deno.test("processes: two on one Postgres agree", async () => {
  const database = await postgresDatabase();
  const env = {
    VARIANT: "full",
    DATABASE_URL: database.url,
    ADMIN_PASSWORD: PASSWORD,
    JWT_SECRET: "the same access secret in both processes",
    REFRESH_TOKEN_SECRET: "the same refresh secret in both processes",
  };
  try {
    // Started at once: migrations and the first administrator happen once.
    const [one, two] = await Promise.all([startServer(env), startServer(env)]);
    await using _one = one;
    await using _two = two;
    const admin = client(one, await signIn(one, PASSWORD));
    await Promise.all([
      reminderFiresOnce(admin),
      revocationReaches(one, two, admin),
      roleChangesReach(two, admin),
      guessesCountAtBoth(one, two),
    ]);
  } finally {
    await database.drop();
  }
});

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
    await pause(2000);
  }
}

async function reminderFiresOnce(admin: Client): Promise<void> {
  const start = new Date(Date.now() + 3_600_000).toISOString();
  const event = await admin("POST", "/api/calendar/events", { title: "Watch", start });
  const remindAt = new Date(Date.now() + 5000).toISOString();
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
