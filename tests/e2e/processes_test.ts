// Two processes on one Postgres: what one does holds on the other, and reminders fire once.
import assert from "node:assert/strict";
import { type Server, startServer } from "../server.ts";
import { postgresDatabase } from "../sql/databases.ts";
import { pause, until } from "../until.ts";

const PASSWORD = "shared by two processes";

function client(server: Server, token?: string) {
  return async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${server.origin}/api${path}`, {
      method,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  };
}

async function signIn(server: Server, email: string, password = PASSWORD) {
  const { body } = await client(server)("POST", "/auth/login", { email, password });
  return body.data.accessToken as string;
}

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
    const admin = client(one, await signIn(one, "admin@example.com"));
    await Promise.all([
      reminderFiresOnce(admin),
      revocationReaches(one, two, admin),
      roleChangesReach(two, admin),
    ]);
  } finally {
    await database.drop();
  }
});

type Ask = ReturnType<typeof client>;

async function createUser(admin: Ask, name: string, role = "user"): Promise<string> {
  const email = `${name}@example.com`;
  const body = { name: `${name} person`, email, password: PASSWORD, role };
  const { status, body: answer } = await admin("POST", "/users", body);
  assert.equal(status, 201, JSON.stringify(answer));
  return answer.data.id;
}

async function revocationReaches(one: Server, two: Server, admin: Ask): Promise<void> {
  const id = await createUser(admin, "ada");
  const token = await signIn(two, "ada@example.com");
  const [here, there] = [client(one, token), client(two, token)];
  assert.equal((await here("GET", "/users/me")).status, 200);
  assert.equal((await there("GET", "/users/me")).status, 200);
  await admin("PUT", `/users/${id}`, { status: "suspended" });
  assert.equal((await here("GET", "/users/me")).status, 401, "at once on the same process");
  await until(async () => (await there("GET", "/users/me")).status === 401, "the other's 401");
}

async function roleChangesReach(two: Server, admin: Ask): Promise<void> {
  const role = await admin("POST", "/roles", {
    name: "auditor",
    label: "Auditor",
    permissions: ["users:view"],
  });
  await createUser(admin, "bela", "auditor");
  const bela = client(two, await signIn(two, "bela@example.com"));
  assert.equal((await bela("GET", "/users")).status, 200);
  await admin("PUT", `/roles/${role.body.data.id}/permissions`, {
    permissions: ["dashboard:view"],
  });
  await until(async () => (await bela("GET", "/users")).status === 403, "the other's 403");
}

async function reminderFiresOnce(admin: Ask): Promise<void> {
  const start = new Date(Date.now() + 3_600_000).toISOString();
  const event = await admin("POST", "/calendar/events", { title: "Watch", start });
  const remindAt = new Date(Date.now() + 5000).toISOString();
  const set = await admin("POST", `/calendar/events/${event.body.data.id}/reminder`, { remindAt });
  assert.ok(set.status < 300, JSON.stringify(set.body));
  const fired = async () => {
    const { body } = await admin("GET", "/notifications?search=Watch");
    return body.pagination.total as number;
  };
  await until(async () => await fired() > 0, "the reminder");
  // Both processes have looked again by then.
  await pause(6000);
  assert.equal(await fired(), 1);
}
