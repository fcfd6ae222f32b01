// What requests that fail throw, however the server tells its errors.
import assert from "node:assert/strict";
import {
  ApiError,
  connect,
  createApiKey,
  createClient,
  memoryStorage,
  updateCurrentUser,
} from "../../client/mod.ts";
import { MINUTE } from "../../core/units.ts";
import { harness } from "../harness.ts";

Deno.test("client: problem details have codes and fields, also in variant web", async () => {
  await using h = await harness({ variant: "web" });
  const storage = memoryStorage();
  storage.set({ accessToken: h.tokens.admin, expiresAt: Date.now() + 60_000 });
  const client = createClient();
  connect({
    baseUrl: "http://quarterdeck.test/api",
    storage,
    client,
    async fetch(input, init) {
      const request = new Request(input, init);
      request.headers.set("accept", "application/problem+json, application/json");
      return await h.app.fetch(request);
    },
  });
  const invalid = await updateCurrentUser({ client, body: { name: "x" } }).catch((error) => error);
  assert.ok(invalid instanceof ApiError);
  assert.deepEqual([invalid.status, invalid.code], [400, "VALIDATION_ERROR"]);
  assert.match(invalid.problemOf("name")!, /at least 2/);

  h.clock.advance(11 * MINUTE);
  const body = { name: "key", scopes: ["users:view"] };
  const unproven = await createApiKey({ client, body }).catch((error) => error);
  assert.deepEqual([unproven.status, unproven.code], [403, "STEP_UP_REQUIRED"]);
  assert.match(unproven.message, /Prove first who you are/);
});
