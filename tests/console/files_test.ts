// What the console makes of files before anything is shown: places, kinds, and uploads on their way.
import assert from "node:assert/strict";
import { ApiError, type Folder, type UploadOptions } from "../../client/mod.ts";
import { previewOf } from "../../console/pages/files/kinds.ts";
import { addressOf, conditionsOf, everyFolder, trailTo } from "../../console/pages/files/places.ts";
import { numbered } from "../../console/pages/files/upload.ts";
import { createUploads, type Uploads } from "../../console/pages/files/uploads.ts";

function folder(id: string, children: readonly Folder[] = []): Folder {
  const at = "2026-11-22T10:00:00.000Z";
  const path = `/${id}`;
  return {
    id,
    name: id,
    path,
    ownerId: "me",
    fileCount: 0,
    children: [...children],
    createdAt: at,
    updatedAt: at,
  };
}

const TREE = [folder("contracts"), folder("reports", [folder("2026", [folder("may")])])];

Deno.test("places: what the API is asked for", () => {
  assert.deepEqual(conditionsOf("all", "me"), {});
  assert.deepEqual(conditionsOf("root", "me"), { folderId: "root", ownerId: "me" });
  assert.deepEqual(conditionsOf("shared", "me"), { ownerId_ne: "me" });
  assert.deepEqual(conditionsOf("favorites", "me"), { isFavorite: "true" });
  assert.deepEqual(conditionsOf("42", "me"), { folderId: "42" });
  assert.equal(addressOf("all"), "/files");
  assert.equal(addressOf("a&b"), "/files?folder=a%26b");
});

Deno.test("places: the way to a folder, and all folders but one with what is in it", () => {
  assert.deepEqual(trailTo(TREE, "may").map(({ id }) => id), ["reports", "2026", "may"]);
  assert.deepEqual(trailTo(TREE, "gone"), []);
  const ids = (without?: string) => everyFolder(TREE, without).map(({ id }) => id);
  assert.deepEqual(ids(), ["contracts", "reports", "2026", "may"]);
  assert.deepEqual(ids("2026"), ["contracts", "reports"]);
});

Deno.test("kinds: nothing that could run is drawn", () => {
  assert.equal(previewOf({ mimeType: "image/png" }), "image");
  assert.equal(previewOf({ mimeType: "image/svg+xml" }), "text");
  assert.equal(previewOf({ mimeType: "text/html" }), "text");
  assert.equal(previewOf({ mimeType: "application/json" }), "text");
  assert.equal(previewOf({ mimeType: "application/pdf" }), "pdf");
  assert.equal(previewOf({ mimeType: "video/mp4" }), "video");
  assert.equal(previewOf({ mimeType: "application/zip" }), "none");
});

Deno.test("uploads: a number goes before the ending", () => {
  assert.equal(numbered("report.pdf", 2), "report (2).pdf");
  assert.equal(numbered("README", 3), "README (3)");
  assert.equal(numbered(".env", 2), ".env (2)");
});

interface Sending {
  readonly name: string;
  readonly options: UploadOptions;
  arrive(): void;
  fail(error: unknown): void;
}

/** Uploads to nowhere: what is sent waits here until the test says how it ends. */
function uploadsInto(present: Readonly<Record<string, string>> = {}) {
  const sending: Sending[] = [];
  let arrived = 0;
  const uploads = createUploads({
    send(_, options) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      options.signal?.addEventListener("abort", () => reject(options.signal!.reason));
      sending.push({ name: options.name!, options, arrive: resolve, fail: reject });
      return promise;
    },
    find: (name) => Promise.resolve(present[name] ?? null),
    folders: { at: () => Promise.reject(new Error("none is asked for")), forget: () => {} },
    onArrived: () => void arrived++,
  });
  return { uploads, sending, arrived: () => arrived };
}

const file = (name: string) => ({ file: new File(["12345"], name), folders: [] });
const settle = () => new Promise((resolve) => setTimeout(resolve));
const states = ({ items }: Uploads) => items.value.map(({ state }) => state);
const HERE = { folderId: null };

Deno.test("uploads: two at a time, each with its progress", async () => {
  const { uploads, sending, arrived } = uploadsInto();
  uploads.add([file("a"), file("b"), file("c")], HERE);
  await settle();
  assert.deepEqual(states(uploads), ["sending", "sending", "waiting"]);
  assert.equal(sending[0]!.options.folderId, "root");
  sending[0]!.options.onProgress!(3, 5);
  assert.equal(uploads.items.value[0]!.sent, 3);
  sending[0]!.arrive();
  await settle();
  assert.deepEqual(states(uploads), ["done", "sending", "sending"]);
  assert.equal(arrived(), 1);
  uploads.clear();
  assert.deepEqual(states(uploads), ["sending", "sending"]);
});

Deno.test("uploads: cancelled ones make room, and can be tried again", async () => {
  const { uploads, sending } = uploadsInto();
  uploads.add([file("a"), file("b"), file("c")], HERE);
  await settle();
  const [first] = uploads.items.value;
  uploads.cancel(first!.id);
  await settle();
  assert.ok(sending[0]!.options.signal!.aborted);
  assert.deepEqual(states(uploads), ["cancelled", "sending", "sending"]);
  uploads.retry(first!.id);
  assert.deepEqual(states(uploads), ["waiting", "sending", "sending"]);
  sending[1]!.arrive();
  await settle();
  assert.deepEqual(states(uploads), ["sending", "done", "sending"]);
});

Deno.test("uploads: cancelled while one of the same name is asked about", async () => {
  const { uploads } = uploadsInto({ a: "old" });
  uploads.add([file("a")], HERE);
  uploads.cancel(uploads.items.value[0]!.id);
  await settle();
  assert.deepEqual(states(uploads), ["cancelled"]);
});

Deno.test("uploads: cancelled while a name is looked for that is free", async () => {
  const { uploads, sending } = uploadsInto({ "a.txt": "old", "a (2).txt": "older" });
  uploads.add([file("a.txt")], HERE);
  await settle();
  const { id } = uploads.items.value[0]!;
  uploads.decide(id, "both");
  uploads.cancelAll();
  await settle();
  assert.deepEqual(states(uploads), ["cancelled"]);
  assert.equal(sending.length, 0);
});

Deno.test("uploads: a file of the same name is asked about", async () => {
  const { uploads, sending } = uploadsInto({ "a.txt": "old", "a (2).txt": "older" });
  uploads.add([file("a.txt"), file("a.txt"), file("a.txt")], HERE);
  await settle();
  const ids = uploads.items.value.map(({ id }) => id);
  assert.deepEqual(states(uploads), ["asking", "asking", "asking"], "none waits for the others");
  uploads.decide(ids[0]!, "version");
  uploads.decide(ids[1]!, "both");
  uploads.decide(ids[2]!, "skip");
  await settle();
  assert.deepEqual(states(uploads), ["sending", "sending", "skipped"]);
  assert.equal(sending[0]!.options.fileId, "old");
  assert.equal(sending[0]!.options.folderId, undefined);
  assert.equal(sending[1]!.name, "a (3).txt");
});

Deno.test("uploads: one decision for all of the same name, also for those that are not asked about yet", async () => {
  const { uploads, sending } = uploadsInto({ "a.txt": "old", "b.txt": "older", "c.txt": "oldest" });
  uploads.add([file("a.txt"), file("b.txt"), file("c.txt"), file("new.txt")], HERE);
  await settle();
  uploads.add([file("c.txt")], HERE);
  uploads.decideAll("version");
  await settle();
  for (const sent of sending) sent.arrive();
  await settle();
  for (const sent of sending) sent.arrive();
  await settle();
  for (const sent of sending) sent.arrive();
  await settle();
  assert.deepEqual(states(uploads), ["done", "done", "done", "done", "done"]);
  const fileIds = sending.map(({ options }) => options.fileId);
  assert.deepEqual(fileIds.toSorted(), ["old", "older", "oldest", "oldest", undefined]);
});

Deno.test("uploads: one that was decided about before it was asked about can be cancelled", async () => {
  const { uploads, sending } = uploadsInto({ "a.txt": "old" });
  uploads.add([file("a.txt")], HERE);
  uploads.decideAll("version");
  await settle();
  assert.deepEqual(states(uploads), ["sending"]);
  uploads.cancelAll();
  await settle();
  assert.ok(sending[0]!.options.signal!.aborted, "it does not arrive all the same");
  assert.deepEqual(states(uploads), ["cancelled"]);
});

Deno.test("uploads: all are cancelled, and none begins meanwhile", async () => {
  const { uploads, sending } = uploadsInto();
  uploads.add([file("a"), file("b"), file("c"), file("d")], HERE);
  await settle();
  uploads.cancelAll();
  await settle();
  assert.deepEqual(states(uploads), ["cancelled", "cancelled", "cancelled", "cancelled"]);
  assert.equal(sending.length, 2);
});

Deno.test("uploads: what was cut off starts again, what was refused does not", async () => {
  const { uploads, sending } = uploadsInto();
  uploads.add([file("a"), file("b")], HERE);
  await settle();
  sending[0]!.fail(new ApiError("cut off", 0, "NETWORK_ERROR"));
  sending[1]!.fail(new ApiError("too large", 413, "PAYLOAD_TOO_LARGE"));
  await settle();
  assert.deepEqual(states(uploads), ["failed", "failed"]);
  uploads.resume();
  await settle();
  assert.deepEqual(states(uploads), ["sending", "failed"]);
});

Deno.test("uploads: they end with the session", async () => {
  const { uploads, sending } = uploadsInto();
  uploads.add([file("a"), file("b"), file("c")], HERE);
  await settle();
  uploads.end();
  await settle();
  assert.deepEqual(states(uploads), []);
  assert.equal(sending.length, 2);
  assert.ok(sending.every(({ options }) => options.signal!.aborted));
});
