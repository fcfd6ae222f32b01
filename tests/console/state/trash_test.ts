// What is in the trash is restored, and ended, by the hundred.
import assert from "node:assert/strict";
import { connect } from "../../../client/mod.ts";
import type { Bulk } from "../../../console/state/batches.ts";
import { place } from "../../../console/state/place.ts";
import { purgeMany, restoreMany } from "../../../console/state/trash.ts";

const WAYS: readonly [string, Bulk, method: string, path: string][] = [
  ["restored", restoreMany, "POST", "/trash/7/restore"],
  ["ended", purgeMany, "DELETE", "/trash/7"],
];

for (const [what, bulk, method, path] of WAYS) {
  Deno.test(`trash: thousands are ${what} by the hundred, each told of by itself`, async () => {
    const sent: { path: string; operations: { id: string; method: string; path: string }[] }[] = [];
    connect({
      baseUrl: "http://console.test/api",
      async fetch(input) {
        const { operations } = await (input as Request).json();
        sent.push({ path: new URL((input as Request).url).pathname, operations });
        const data = operations.map(({ id }: { id: string }) => ({
          id,
          status: id === "8" ? 404 : 200,
          body: { success: id !== "8" },
        }));
        return Response.json({ success: true, data });
      },
    });
    const { done, refused } = await bulk(Array.from({ length: 3000 }, (_, n) => String(n)));
    assert.equal(sent.length, 30);
    assert.equal(sent[0]!.path, "/api/batch");
    assert.deepEqual(sent[0]!.operations[7], { id: "7", method, path: place.api + path });
    assert.equal(done.length, 2999);
    assert.deepEqual(refused, [{ id: "8" }]);
  });
}
