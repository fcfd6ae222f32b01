// The store goes away: a stop in the middle of it ends in its time, and what was acknowledged is there afterwards.
import assert from "node:assert/strict";
import { client, signIn } from "../../client.ts";
import { END, startServer, waitedInVain } from "../../server.ts";
import { postgresDatabase } from "../../sql/databases.ts";
import { pause } from "../../until.ts";

const PASSWORD = "outlives the outage";

/** Stands between the server and Postgres: passes on, is silent, or refuses. */
function proxy(target: { hostname: string; port: number }) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const ends: Deno.TcpConn[] = [];
  let frozen = false;
  let refusing = false;
  async function pass(from: Deno.TcpConn, to: Deno.TcpConn) {
    const buffer = new Uint8Array(65536);
    for (;;) {
      const read = await from.read(buffer);
      if (read === null) return to.close();
      while (frozen) await pause(20);
      for (let at = 0; at < read;) at += await to.write(buffer.subarray(at, read));
    }
  }
  (async () => {
    for await (const inner of listener) {
      if (refusing) {
        inner.close();
        continue;
      }
      const outer = await Deno.connect(target);
      ends.push(inner, outer);
      pass(inner, outer).catch(() => {});
      pass(outer, inner).catch(() => {});
    }
  })().catch(() => {});
  function closeAll() {
    for (const end of ends.splice(0)) {
      try {
        end.close();
      } catch {
        // Closed by the other side.
      }
    }
  }
  return {
    port: listener.addr.port,
    freeze: () => void (frozen = true),
    refuse() {
      refusing = true;
      closeAll();
    },
    mend() {
      frozen = refusing = false;
    },
    close() {
      frozen = false;
      listener.close();
      closeAll();
    },
  };
}

for (const outage of ["freeze", "refuse"] as const) {
  Deno.test(`outages: a stop while Postgres does not answer (${outage}) ends in its time, with 0`, async () => {
    const database = await postgresDatabase();
    const url = new URL(database.url);
    const between = proxy({ hostname: url.hostname, port: Number(url.port || 5432) });
    url.hostname = "127.0.0.1";
    url.port = String(between.port);
    const env = {
      ADMIN_PASSWORD: PASSWORD,
      JWT_SECRET: "0123456789abcdef0123456789abcdef",
      LOG_LEVEL: "warn",
    };
    try {
      const first = await startServer(
        { ...env, DATABASE_URL: url.href },
        undefined,
        { keepLog: true },
      );
      const ask = client(first, await signIn(first, PASSWORD));
      const written = await ask("POST", "/api/documents", { title: "Kept" });
      assert.equal(written.status, 201);
      between[outage]();
      // Requests that wait for the store, visits that are not written: none of it may hold the end up.
      const waiting = Array.from(
        { length: 5 },
        () => ask("POST", "/api/documents", { title: "Never told" }).catch(() => null),
      );
      await pause(300);
      const { code } = await first.stop("SIGTERM");
      await Promise.all(waiting);
      assert.equal(code, 0, first.printed());
      const logged = await first.logged;
      const waited = waitedInVain(logged);
      assert.ok(waited <= END, logged);
      // A connection that says nothing is waited for, for a while.
      if (outage === "freeze") assert.ok(waited > 0, logged);
      await Deno.remove(first.folder, { recursive: true });

      await using second = await startServer({ ...env, DATABASE_URL: database.url });
      const askAgain = client(second, await signIn(second, PASSWORD));
      const found = await askAgain("GET", `/api/documents/${written.body.data.id}`);
      assert.deepEqual([found.status, found.body.data.title], [200, "Kept"]);
    } finally {
      between.close();
      await database.drop();
    }
  });
}
