// kill -9 in the middle of concurrent writes: what was acknowledged is there, and nothing is there by half.
import assert from "node:assert/strict";
import { startServer } from "../server.ts";

const PASSWORD = "survives a crash";
const WRITERS = 200;

function client(origin: string, token?: string) {
  return async (method: string, path: string, body?: unknown) => {
    const form = body instanceof FormData ? body : null;
    const response = await fetch(`${origin}/api${path}`, {
      method,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body && !form ? { "content-type": "application/json" } : {}),
      },
      body: form ?? (body === undefined ? undefined : JSON.stringify(body)),
    });
    return { status: response.status, body: await response.json() };
  };
}

async function signIn(origin: string) {
  const login = { email: "admin@example.com", password: PASSWORD };
  const { body } = await client(origin)("POST", "/auth/login", login);
  return client(origin, body.data.accessToken);
}

Deno.test("crash: every acknowledged write survives, no half of another does", async () => {
  const first = await startServer({ ADMIN_PASSWORD: PASSWORD });
  const ask = await signIn(first.origin);
  const form = new FormData();
  form.set("file", new Blob(["before the storm"]), "log.txt");
  assert.equal((await ask("POST", "/files/upload", form)).status, 201);

  const acknowledged = new Map<string, string>();
  let killed: Promise<unknown> | undefined;
  const writes = Array.from({ length: WRITERS }, async (_, i) => {
    const email = `sailor${i}@example.com`;
    const { status, body } = await ask("POST", "/users", {
      name: `Sailor ${i}`,
      email,
      role: "guest",
    });
    if (status === 201) acknowledged.set(email, body.data.id);
    if (acknowledged.size >= WRITERS / 2) killed ??= first.stop("SIGKILL");
  });
  await Promise.allSettled(writes);
  await killed;

  const second = await startServer({}, first.folder);
  try {
    const again = await signIn(second.origin);
    await assertWhole(again, acknowledged);
    const files = await again("GET", "/files");
    assert.equal(files.body.pagination.total, 1);
  } finally {
    await second.stop();
    await Deno.remove(first.folder, { recursive: true });
  }
});

async function assertWhole(
  ask: ReturnType<typeof client>,
  acknowledged: ReadonlyMap<string, string>,
): Promise<void> {
  assert.ok(acknowledged.size >= WRITERS / 2);
  for (const [email, id] of acknowledged) {
    const { status, body } = await ask("GET", `/users/${id}`);
    assert.deepEqual([status, body.data.email], [200, email]);
  }
  // Whatever else is there is whole: listed, counted, held by its unique key, and found under its id.
  const listed: { id: string; email: string }[] = [];
  for (let page = 1;; page++) {
    const { body } = await ask("GET", `/users?limit=100&page=${page}&sort=email`);
    listed.push(...body.data);
    assert.equal(body.pagination.total >= listed.length, true);
    if (page >= body.pagination.totalPages) {
      assert.equal(body.pagination.total, listed.length);
      break;
    }
  }
  for (let i = 0; i < WRITERS; i++) {
    const email = `sailor${i}@example.com`;
    const there = listed.some((user) => user.email === email);
    const taken = await ask("POST", "/users", { name: "Copy", email, role: "guest" });
    assert.equal(taken.status, there ? 409 : 201, email);
  }
}
