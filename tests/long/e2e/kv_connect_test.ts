// The server on KV Connect when that fails: it says so, does nothing by halves, and goes on without a restart.
import assert from "node:assert/strict";
import { client, signIn } from "../../client.ts";
import { ACCESS_TOKEN, KvConnect } from "../../kv_connect/server.ts";
import { END, type Server, startServer, waitedInVain } from "../../server.ts";
import { kvConnectDatabase } from "../../shared_databases.ts";
import { pause, until } from "../../until.ts";

const PASSWORD = "outlives the outage";
const env = {
  ADMIN_PASSWORD: PASSWORD,
  JWT_SECRET: "0123456789abcdef0123456789abcdef",
  LOG_LEVEL: "fatal",
};

interface Outage {
  readonly begin: (kv: KvConnect) => void;
  readonly end?: (kv: KvConnect) => void;
  /** Whether it can still be read. @default false */
  readonly reads?: boolean;
}

const outages: Readonly<Record<string, Outage>> = {
  "answers 503": {
    begin: (kv) => void (kv.fault = () => ({ status: 503, text: "Try again later." })),
  },
  "does not answer": { begin: (kv) => void (kv.fault = () => "silence") },
  "cuts every connection": { begin: (kv) => void (kv.fault = () => "lost") },
  "breaks off every answer": { begin: (kv) => void (kv.fault = () => "answer cut") },
  "is gone": { begin: (kv) => kv.stop(), end: (kv) => kv.resume() },
  "has disabled writes": {
    begin: (kv) => void (kv.fault = (method) => method === "atomic_write" ? "disabled" : undefined),
    reads: true,
  },
  "takes the access token no longer": {
    begin: (kv) => {
      kv.revokeTokens();
      kv.accessToken = "another one";
    },
    end: (kv) => void (kv.accessToken = ACCESS_TOKEN),
  },
};

/** @param key Of idempotency. @default none */
async function create({ origin }: Server, token: string, title: string, key?: string) {
  const response = await fetch(`${origin}/api/documents`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      ...(key === undefined ? {} : { "idempotency-key": key }),
    },
    body: JSON.stringify({ title }),
  });
  return { status: response.status, body: await response.json() };
}

Deno.test("KV Connect: the server outlives every outage, and each request is done once", async (t) => {
  const database = kvConnectDatabase();
  const kv = database.server;
  try {
    await using server = await startServer({ ...env, DATABASE_URL: database.url });
    const token = await signIn(server, PASSWORD);
    const ask = client(server, token);
    const ready = async () => (await ask("GET", "/readyz")).status;
    const titles: string[] = [];
    for (const [what, { begin, end, reads = false }] of Object.entries(outages)) {
      await t.step(`the KV ${what}`, async () => {
        await begin(kv);
        const wanted = Array.from({ length: 5 }, (_, n) => `${what} ${n}`);
        const during = await Promise.all(
          wanted.map((title) => create(server, token, title, title)),
        );
        for (const { status, body } of during) {
          assert.equal(status, 503, JSON.stringify(body));
          assert.equal(body.error.code, "UNAVAILABLE");
          assert.doesNotMatch(JSON.stringify(body), /127\.0\.0\.1|Connect/, "no internals");
        }
        const read = await ask("GET", "/api/documents");
        assert.equal(read.status, reads ? 200 : 503, JSON.stringify(read.body));
        assert.equal(await ready(), reads ? 200 : 503);
        assert.equal((await ask("GET", "/livez")).status, 200);

        kv.fault = () => undefined;
        await end?.(kv);
        await until(async () => await ready() === 200, "readiness");
        for (const title of wanted) {
          const again = await create(server, token, title, title);
          assert.equal(again.status, 201, JSON.stringify(again.body));
        }
        titles.push(...wanted);
        const { body } = await ask("GET", "/api/documents?limit=100");
        const found = body.data.map(({ title }: { title: string }) => title);
        assert.deepEqual(found.sort(), titles.toSorted());
      });
    }
  } finally {
    await database.drop();
  }
});

Deno.test("KV Connect: connections that are cut all the time lose nothing, and double nothing", async () => {
  const database = kvConnectDatabase();
  try {
    const settings = { ...env, DATABASE_URL: database.url };
    await using one = await startServer(settings);
    await using two = await startServer(settings);
    const token = await signIn(one, PASSWORD);
    let calls = 0;
    const faults = ["answer lost", "answer cut", "lost"] as const;
    database.server.fault = (method) =>
      method === "metadata" || ++calls % 7 !== 0 ? undefined : faults[(calls / 7) % faults.length];
    const made: string[] = [];
    await Promise.all([one, two].map(async (server, s) => {
      for (let n = 0; n < 25; n++) {
        const title = `From ${s}: ${n}`;
        const { status } = await create(server, token, title);
        if (status === 201) made.push(title);
        else assert.equal(status, 503);
      }
    }));
    database.server.fault = () => undefined;
    assert.ok(made.length > 25, `${made.length} are made`);
    const { body } = await client(two, token)("GET", "/api/documents?limit=100");
    const found: string[] = body.data.map(({ title }: { title: string }) => title);
    assert.equal(new Set(found).size, found.length, "a document is there twice");
    assert.deepEqual(made.filter((title) => !found.includes(title)), []);
  } finally {
    await database.drop();
  }
});

Deno.test("KV Connect: a stop while the KV is gone ends in its time, with 0", async () => {
  const database = kvConnectDatabase();
  try {
    const server = await startServer(
      { ...env, LOG_LEVEL: "warn", DATABASE_URL: database.url },
      undefined,
      { keepLog: true },
    );
    const token = await signIn(server, PASSWORD);
    database.server.stop();
    const waiting = create(server, token, "Never told").catch(() => null);
    await pause(300);
    const { code } = await server.stop("SIGTERM");
    await waiting;
    assert.equal(code, 0, server.printed());
    const logged = await server.logged;
    assert.ok(waitedInVain(logged) <= END, logged);
    await Deno.remove(server.folder, { recursive: true });
  } finally {
    await database.drop();
  }
});
