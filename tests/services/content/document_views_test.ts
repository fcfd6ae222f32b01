// Views of documents: counted in memory, written in batches, lost with nothing but the document.
import assert from "node:assert/strict";
import { MINUTE } from "../../../core/units.ts";
import { documents, documentViews } from "../../../models/documents.ts";
import { createDocumentViewCounter } from "../../../services/content/document_views.ts";
import type { Store } from "../../../storage/port.ts";
import { type Harness, harness } from "../../harness.ts";

const actor = { userId: null };

async function withDocuments(h: Harness, count: number): Promise<string[]> {
  return await h.store.transact(actor, (tx) => {
    const ownerId = h.accounts.user.id;
    const fields = { title: "T", content: "", type: "document", size: 0, ownerId } as const;
    return Array.from({ length: count }, () => tx.insert(documents, fields).id);
  });
}

Deno.test("document views: written in batches, added to what is there", async () => {
  await using h = await harness();
  const { store } = h;
  const ids = await withDocuments(h, 90);
  const counter = createDocumentViewCounter(store, h.clock.now);
  for (const id of ids) counter.open(id, "one");
  counter.open(ids[0]!, "two");
  assert.equal(counter.pending(ids[0]!), 2);
  await counter.flush();
  assert.equal(counter.pending(ids[0]!), 0);
  counter.open(ids[0]!, "three");
  await counter.flush();
  const written = await store.from(documentViews).getMany(ids);
  assert.deepEqual(written.map((row) => row?.views), [3, ...Array(89).fill(1)]);
});

Deno.test("document views: of a document that is gone are dropped", async () => {
  await using h = await harness();
  const { store } = h;
  const ids = await withDocuments(h, 2);
  const counter = createDocumentViewCounter(store, h.clock.now);
  for (const id of ids) counter.open(id, "one");
  await store.transact(actor, async (tx) => {
    tx.remove(documents, (await tx.from(documents).get(ids[0]!))!);
  });
  await counter.flush();
  assert.equal(await store.from(documentViews).get(ids[0]!), null);
  assert.equal((await store.from(documentViews).get(ids[1]!))?.views, 1);
  assert.equal(counter.pending(ids[0]!), 0);
});

Deno.test("document views: what cannot be written stays counted", async () => {
  await using h = await harness();
  const { store } = h;
  const ids = await withDocuments(h, 1);
  let broken = true;
  const flaky: Store = {
    ...store,
    from: store.from.bind(store),
    transact: (by, plan) => broken ? Promise.reject(new Error("broken")) : store.transact(by, plan),
  };
  const counter = createDocumentViewCounter(flaky, h.clock.now);
  counter.open(ids[0]!, "one");
  await assert.rejects(counter.flush(), /broken/);
  assert.equal(counter.pending(ids[0]!), 1);
  broken = false;
  await Promise.all([counter.flush(), counter.flush()]);
  assert.equal((await store.from(documentViews).get(ids[0]!))?.views, 1);
});

Deno.test("document views: shown before and after they are written; the version does not move", async () => {
  await using h = await harness();
  const body = { title: "T" };
  const { data } = await h.ask("POST", "/api/documents", { as: "admin", body });
  const open = (as: "admin" | "super") => h.ask("GET", `/api/documents/${data.id}`, { as });
  const first = await open("admin");
  assert.equal(first.data.views, 1);
  await h.app.services.documentViews.flush();
  const second = await open("super");
  assert.equal(second.data.views, 2);
  assert.equal(second.headers.get("etag"), first.headers.get("etag"));
});

Deno.test("document views: who asks again whether it is still the same has opened it once, for half an hour", async () => {
  await using h = await harness();
  const counter = createDocumentViewCounter(h.store, h.clock.now);
  const viewsAfter = (minutes: number, reader: string) => {
    h.clock.advance(minutes * MINUTE);
    counter.open("document", reader, true);
    return counter.pending("document");
  };
  assert.equal(viewsAfter(0, "one"), 1);
  assert.equal(viewsAfter(0, "one"), 1);
  assert.equal(viewsAfter(0, "two"), 2, "somebody else");
  assert.equal(viewsAfter(29, "one"), 2);
  assert.equal(viewsAfter(29, "one"), 2, "since the last reading, not the first");
  assert.equal(viewsAfter(30, "one"), 3);
  counter.open("another", "one", true);
  assert.equal(counter.pending("another"), 1);
});

Deno.test("document views: each reading counts, but for one with If-None-Match", async () => {
  await using h = await harness();
  const { data } = await h.ask("POST", "/api/documents", { as: "admin", body: { title: "T" } });
  const path = `/api/documents/${data.id}`;
  await h.ask("GET", path, { as: "admin" });
  const { headers, data: { views } } = await h.ask("GET", path, { as: "admin" });
  assert.equal(views, 2);
  const again = { "if-none-match": headers.get("etag")! };
  assert.equal((await h.ask("GET", path, { as: "admin", headers: again })).status, 304);
  assert.equal((await h.ask("GET", path, { as: "admin" })).data.views, 3);
});
