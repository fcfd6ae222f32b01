// A disk without room: it is told as what it is, reads go on, and writes come back when there is room.
import assert from "node:assert/strict";
import { statfsSync } from "node:fs";
import { MIB } from "../../../core/units.ts";
import { client, signIn } from "../../client.ts";
import { type Server, startServer } from "../../server.ts";
import { until } from "../../until.ts";
import { smallDisk } from "../../e2e/small_disk.ts";

const PASSWORD = "no room at the inn";

/** Bytes that are left of what was reserved: half. */
const LEFT = { kv: 4 * MIB, sqlite: 12 * MIB };

const settings = (engine: string) => ({
  DATABASE_URL: `${engine}:store.db`,
  ADMIN_PASSWORD: PASSWORD,
  JWT_SECRET: "a secret that outlives a restart of the server",
  LOG_LEVEL: "fatal",
});

const content = (size: number) => crypto.getRandomValues(new Uint8Array(size / 2)).toHex();

for (const engine of ["kv", "sqlite"]) {
  Deno.test(`full disk: told as such, reads and removals go on, writes come back with room (${engine})`, async () => {
    await using disk = await smallDisk(engine === "kv" ? 24 : 48);
    const { folder } = disk;
    await using server = await startServer(settings(engine), folder);
    const ask = client(server, await signIn(server, PASSWORD));
    const write = () =>
      ask("POST", "/api/documents", {
        title: "Ballast",
        content: content(60_000),
      });
    let last = await write();
    const { id } = last.body.data;
    for (let i = 0; i < 1500 && last.status === 201; i++) last = await write();
    assert.deepEqual([last.status, last.body.error.code], [507, "STORAGE_FULL"]);
    assert.match(last.body.message, /disk .* is full/);

    const ready = await ask("GET", "/readyz");
    assert.deepEqual([ready.status, ready.body.status], [200, "full"], "room is made by requests");
    const health = await ask("GET", "/api/health");
    assert.deepEqual([health.status, health.body.database], [503, "connected"]);
    assert.equal((await ask("GET", `/api/documents/${id}`)).status, 200);

    // What is there can be removed, and whoever does it can sign in; what grows waits for room.
    await signIn(server, PASSWORD);
    assert.equal((await ask("DELETE", `/api/documents/${id}`)).status, 200, "into the trash");
    const { body: page } = await ask("GET", "/api/documents?limit=50");
    for (const document of page.data) {
      const removed = await ask("DELETE", `/api/documents/${document.id}?permanent=true`);
      assert.equal(removed.status, 200, JSON.stringify(removed.body));
    }
    assert.equal((await write()).status, 507);

    await disk.grow();
    // The reserve is taken back within a second or so.
    await until(async () => (await write()).status === 201, "a write");
    assert.equal((await ask("GET", "/readyz")).status, 200);
    assert.equal((await server.stop()).code, 0);
  });
}

for (const engine of ["kv", "sqlite"] as const) {
  Deno.test(`full disk: what is left for removals is left after a restart too (${engine})`, async () => {
    await using disk = await smallDisk(engine === "kv" ? 24 : 48);
    const { folder } = disk;
    const before = await startServer(settings(engine), folder);
    const token = await signIn(before, PASSWORD);
    const write = (server: Server) =>
      client(server, token)("POST", "/api/documents", {
        title: "Ballast",
        content: content(60_000),
      });
    for (let i = 0; i < 1500 && (await write(before)).status === 201; i++);
    await before.stop("SIGKILL");
    // Something else takes most of what was reserved: a log, say.
    const { bavail, bsize } = statfsSync(folder);
    await Deno.writeFile(`${folder}/log`, new Uint8Array(bavail * bsize - LEFT[engine]));

    const server = await startServer(settings(engine), folder);
    const ask = client(server, token);
    assert.equal((await ask("GET", "/readyz")).body.status, "full");
    assert.equal((await write(server)).status, 507);
    const { body: page } = await ask("GET", "/api/documents?limit=20");
    for (const document of page.data) {
      const removed = await ask("DELETE", `/api/documents/${document.id}?permanent=true`);
      assert.equal(removed.status, 200, JSON.stringify(removed.body));
    }
    await disk.grow();
    await until(async () => (await write(server)).status === 201, "a write");
    assert.equal((await server.stop()).code, 0);
  });
}
