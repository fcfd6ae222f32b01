// kill -9 in the middle of concurrent writes: what was acknowledged is there, and nothing is there by half.
import assert from "node:assert/strict";
import { type Client, client, signIn } from "../client.ts";
import { startServer } from "../server.ts";

const PASSWORD = "survives a crash";
const WRITERS = 200;

Deno.test("crash: every acknowledged write survives, no half of another does", async () => {
  const first = await startServer({ ADMIN_PASSWORD: PASSWORD });
  const ask = client(first, await signIn(first, PASSWORD));
  const form = new FormData();
  form.set("file", new Blob(["before the storm"]), "log.txt");
  assert.equal((await ask("POST", "/api/files/upload", form)).status, 201);

  const acknowledged = new Map<string, string>();
  let killed: Promise<unknown> | undefined;
  const writes = Array.from({ length: WRITERS }, async (_, i) => {
    const email = `sailor${i}@example.com`;
    const { status, body } = await ask("POST", "/api/users", {
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
    const again = client(second, await signIn(second, PASSWORD));
    await assertWhole(again, acknowledged);
    const files = await again("GET", "/api/files");
    assert.equal(files.body.pagination.total, 1);
  } finally {
    await second.stop();
    await Deno.remove(first.folder, { recursive: true });
  }
});

async function assertWhole(
  ask: Client,
  acknowledged: ReadonlyMap<string, string>,
): Promise<void> {
  assert.ok(acknowledged.size >= WRITERS / 2);
  for (const [email, id] of acknowledged) {
    const { status, body } = await ask("GET", `/api/users/${id}`);
    assert.deepEqual([status, body.data.email], [200, email]);
  }
  // Whatever else is there is whole: listed, counted, held by its unique key, and found under its id.
  const listed: { id: string; email: string }[] = [];
  for (let page = 1;; page++) {
    const { body } = await ask("GET", `/api/users?limit=100&page=${page}&sort=email`);
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
    const taken = await ask("POST", "/api/users", { name: "Copy", email, role: "guest" });
    assert.equal(taken.status, there ? 409 : 201, email);
  }
}
