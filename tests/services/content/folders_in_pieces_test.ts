// A folder that is deleted or restored in pieces, while the folder that it was in is deleted too: neither takes what the
// other has, and nothing is left on its way.
import assert from "node:assert/strict";
import { deletions } from "../../../models/deletions.ts";
import { files } from "../../../models/files.ts";
import { trash } from "../../../models/trash.ts";
import { verifyStore } from "../../../services/backups/verify.ts";
import type { Harness } from "../../harness.ts";
import { COUNT, fillFolders, withHarness } from "./deletion_scene.ts";

interface Case {
  readonly name: string;
  /** What is asked before, and what goes in pieces: each a method and a path behind `/api`. */
  readonly asked: (id: string) => readonly (readonly [string, string])[];
  /** Files that are there in the end, and bytes of the entry of the trash. */
  readonly left: number;
  readonly kept?: number;
}

/** Of the files of `fillFolders`. */
const BYTES = 5 * COUNT;

const cases: readonly Case[] = [
  {
    name: "goes into the trash",
    asked: (id) => [["DELETE", `/folders/${id}?recursive=true`]],
    left: 0,
    kept: BYTES,
  },
  {
    name: "ends for good",
    asked: (id) => [["DELETE", `/folders/${id}?recursive=true&permanent=true`]],
    left: 0,
  },
  {
    name: "comes back",
    asked: (id) => [
      ["DELETE", `/folders/${id}?recursive=true`],
      ["POST", `/trash/${id}/restore`],
    ],
    left: COUNT,
  },
];

async function done(h: Harness, method: string, path: string, body?: unknown) {
  const reply = await h.ask(method, `/api${path}`, { as: "user", body });
  assert.ok(reply.status < 300, reply.text);
  return reply.data;
}

for (const { name, asked, left, kept } of cases) {
  for (const permanent of [true, false]) {
    const end = permanent ? "ends for good" : "goes into the trash";
    Deno.test(`folders in pieces: one ${name} while the one that it is in ${end}`, async () => {
      await withHarness(async (h, store) => {
        await h.grant("user", "files:create", "files:update", "files:delete");
        const { outer } = await fillFolders(h);
        const above = await done(h, "POST", "/folders", { name: "Above" });
        await done(h, "POST", `/folders/${outer.id}/move`, { parentId: above.id });
        const steps = asked(outer.id);
        for (const [method, path] of steps.slice(0, -1)) await done(h, method, path);
        store.afterCommit = async () => {
          store.afterCommit = null;
          const path = `/folders/${above.id}?recursive=true&permanent=${permanent}`;
          await done(h, "DELETE", path);
        };
        const [method, path] = steps.at(-1)!;
        const { parentId } = await done(h, method, path);
        assert.equal(store.afterCommit, null, "it went in one piece");
        assert.equal(parentId, undefined);
        assert.equal(await store.from(files).count(), left);
        assert.equal(await store.from(deletions).count(), 0);
        const entries = (await store.from(trash).list({ sort: "createdAt" })).rows;
        assert.deepEqual(
          entries.map(({ id, state, size }) => [id, state, size]),
          [
            ...(kept === undefined ? [] : [[outer.id, "kept", kept]]),
            ...(permanent ? [] : [[above.id, "kept", 0]]),
          ],
        );
        assert.deepEqual(await Array.fromAsync(verifyStore(store)), []);
      });
    });
  }
}

Deno.test("folders in pieces: one comes back to where it was, under a free name", async () => {
  await withHarness(async (h) => {
    await h.grant("user", "files:create", "files:update", "files:delete");
    const { outer, inner } = await fillFolders(h);
    const above = await done(h, "POST", "/folders", { name: "Above" });
    await done(h, "POST", `/folders/${outer.id}/move`, { parentId: above.id });
    await done(h, "DELETE", `/folders/${outer.id}?recursive=true`);
    await done(h, "POST", "/folders", { name: "Outer", parentId: above.id });
    const back = await done(h, "POST", `/trash/${outer.id}/restore`);
    assert.deepEqual([back.name, back.parentId], ["Outer (2)", above.id]);
    assert.equal((await done(h, "GET", `/folders/${inner.id}`)).path, "/Above/Outer (2)/Inner");
  });
});
