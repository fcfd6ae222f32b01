// The typed client: uploads with their progress, versions, refusal, abortion.
import assert from "node:assert/strict";
import { downloadFile, getFile, memoryStorage } from "../../client/mod.ts";
import { ADMIN, connected } from "./connected.ts";

Deno.test("client: sends a file as a stream and tells how far it is", async () => {
  await using c = await connected();
  const { client, signIn, upload } = c.another();
  await signIn(ADMIN);
  const bytes = crypto.getRandomValues(new Uint8Array(60_000));
  const told: number[] = [];
  const file = await upload(new Blob([bytes, bytes, bytes], { type: "text/plain" }), {
    name: 'a "quoted"\r\nname.bin',
    onProgress(sent, total) {
      assert.equal(total, 180_000);
      told.push(sent);
    },
  });
  assert.equal(file.size, 180_000);
  assert.equal(told.at(-1), 180_000);
  assert.deepEqual(told, told.toSorted((a, b) => a - b));
  const path = { id: file.id };
  assert.equal((await getFile({ client, path })).data.sha256, file.sha256);
  const answer = await downloadFile({ client, path, parseAs: "blob" });
  assert.equal((answer as Blob).size, 180_000);
});

Deno.test("client: a file in memory goes in pieces too, told as they are taken", async () => {
  await using c = await connected();
  const { signIn, upload } = c.another();
  await signIn(ADMIN);
  const size = 1_000_000, told: number[] = [];
  const file = new File([new Uint8Array(size)], "zeros.bin");
  assert.equal((await upload(file, { onProgress: (sent) => told.push(sent) })).size, size);
  assert.deepEqual(told, [262_144, 524_288, 786_432, size]);
});

Deno.test("client: a new version of a file", async () => {
  await using c = await connected();
  const { signIn, upload } = c.another();
  await signIn(ADMIN);
  const first = await upload(new Blob(["one"]), { name: "notes.txt" });
  const second = await upload(new Blob(["two"]), { name: "notes.txt", fileId: first.id });
  assert.equal(second.id, first.id);
  assert.equal(second.version, 2);
});

Deno.test("client: an upload that is refused or aborted throws, and is not kept", async () => {
  await using c = await connected();
  const { signIn, upload } = c.another();
  await assert.rejects(upload(new Blob(["x"]), { name: "x.txt" }), { status: 401 });
  await signIn(ADMIN);
  await assert.rejects(
    upload(new Blob(["x"]), { name: "x.txt", folderId: "nowhere" }),
    { name: "ApiError" },
  );
  const signal = AbortSignal.abort(new Error("changed my mind"));
  await assert.rejects(upload(new Blob(["x"]), { name: "x.txt", signal }), /changed my mind/);
  assert.equal((await c.h.ask("GET", "/api/files", { as: "admin" })).data.length, 0);
});

Deno.test("client: an upload whose token is refused is sent anew, without a copy in memory", async () => {
  await using c = await connected();
  const { signIn, upload } = c.another();
  await signIn(ADMIN);
  // The server's clock has gone on, the client's has not.
  c.h.clock.advance(16 * 60_000);
  c.asked.length = 0;
  let readings = 0;
  const file = new Blob(["Day one"]);
  file.slice = function (...range) {
    readings++;
    return Blob.prototype.slice.apply(file, range);
  };
  assert.equal((await upload(file, { name: "log.txt" })).size, 7);
  assert.deepEqual(c.asked, ["POST /files/upload", "POST /auth/refresh", "POST /files/upload"]);
  assert.equal(readings, 1, "what is refused at once is not read");
});

Deno.test("client: an upload that is given up while its token is renewed is not sent", async () => {
  await using c = await connected();
  const storage = memoryStorage();
  const { signIn, upload } = c.another({ storage });
  await signIn(ADMIN);
  storage.set({ ...storage.get()!, expiresAt: 0 });
  c.asked.length = 0;
  const giving = new AbortController();
  const sending = upload(new Blob(["x"]), { name: "x.txt", signal: giving.signal });
  giving.abort(new Error("changed my mind"));
  await assert.rejects(sending, /changed my mind/);
  assert.deepEqual(c.asked, ["POST /auth/refresh"]);
});
