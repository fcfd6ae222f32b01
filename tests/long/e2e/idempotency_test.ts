// kill -9 beneath requests with an Idempotency-Key: who repeats them after the restart has done each of them once.
import assert from "node:assert/strict";
import { signIn } from "../../client.ts";
import { type Server, startServer } from "../../server.ts";
import { postgresDatabase } from "../../sql/databases.ts";

const PASSWORD = "survives a crash";
const REQUESTS = 60;

async function create({ origin }: Server, token: string, n: number) {
  const response = await fetch(`${origin}/api/documents`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "idempotency-key": `document-${n}`,
    },
    body: JSON.stringify({ title: `Document ${n}`, content: "# Once", tags: [`tag ${n % 7}`] }),
  });
  return { status: response.status, text: await response.text() };
}

async function titles({ origin }: Server, token: string): Promise<string[]> {
  const response = await fetch(`${origin}/api/documents?limit=100`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { data } = await response.json();
  return data.map(({ title }: { title: string }) => title).sort();
}

/** Requests are sent all at once; the server is killed when some of them are answered. */
async function crash(env: Record<string, string>): Promise<void> {
  const first = await startServer({ ADMIN_PASSWORD: PASSWORD, ...env });
  const token = await signIn(first, PASSWORD);
  const answered = new Map<number, string>();
  let killed: Promise<unknown> | undefined;
  await Promise.allSettled(Array.from({ length: REQUESTS }, async (_, n) => {
    const { status, text } = await create(first, token, n);
    if (status === 201) answered.set(n, text);
    if (answered.size >= 5) killed ??= first.stop("SIGKILL");
  }));
  await (killed ?? first.stop("SIGKILL"));

  const second = await startServer(env, first.folder);
  try {
    const replies = await Promise.all(
      Array.from({ length: REQUESTS }, (_, n) => create(second, token, n)),
    );
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [201]);
    for (const [n, text] of answered) assert.equal(replies[n]!.text, text, "another answer");
    const wanted = Array.from({ length: REQUESTS }, (_, n) => `Document ${n}`).sort();
    assert.deepEqual(await titles(second, token), wanted);
  } finally {
    await second.stop();
    await Deno.remove(first.folder, { recursive: true });
  }
}

Deno.test("idempotency: after kill -9 each request is done once (Deno KV)", () => crash({}));

Deno.test("idempotency: after kill -9 each request is done once (Postgres)", async () => {
  const { url, drop } = await postgresDatabase();
  try {
    await crash({ DATABASE_URL: url });
  } finally {
    await drop();
  }
});
