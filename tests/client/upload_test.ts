// The typed client: uploads with their progress, versions, refusal, abortion.
import assert from "node:assert/strict";
import { downloadFile, getFile } from "../../client/mod.ts";
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
