// Changing what was shown: against its version, and asked about where somebody else was faster.
import assert from "node:assert/strict";
import { ApiError, ConflictError } from "../../../client/mod.ts";
import { changeShown } from "../../../console/parts/change_shown.ts";

/** A record that others change: each version is one of the states, the last one stays. */
function changing(states: readonly string[], answer = false) {
  let at = 0;
  const saved: string[] = [];
  const asked: string[] = [];
  const change = changeShown<string>({
    read: () => Promise.resolve({ data: states[at]!, etag: String(at) }),
    isAsShown: (state) => state === "todo",
    valueOf: (state) => state.toUpperCase(),
    save: (etag) => {
      if (at < states.length - 1) at++;
      if (etag !== String(at)) throw new ConflictError("changed meanwhile", 412, "");
      saved.push(etag);
      return Promise.resolve();
    },
  }, (value) => {
    asked.push(value);
    return Promise.resolve(answer);
  });
  return change.then((changed) => ({ changed, saved, asked }));
}

Deno.test("change: what is as it was shown is saved against its version", async () => {
  assert.deepEqual(await changing(["todo"]), { changed: true, saved: ["0"], asked: [] });
});

Deno.test("change: another change of the record in between is no conflict", async () => {
  assert.deepEqual(await changing(["todo", "todo"]), { changed: true, saved: ["1"], asked: [] });
});

Deno.test("change: where it is not as shown any more, theirs stays unless one wants one's own", async () => {
  assert.deepEqual(await changing(["done"]), { changed: false, saved: [], asked: ["DONE"] });
  assert.deepEqual(await changing(["done"], true), {
    changed: true,
    saved: ["0"],
    asked: ["DONE"],
  });
  const meanwhile = await changing(["todo", "done"]);
  assert.deepEqual(meanwhile, { changed: false, saved: [], asked: ["DONE"] });
});

Deno.test("change: what else the server refuses is thrown", async () => {
  const refused = new ApiError("not yours", 403, "FORBIDDEN");
  await assert.rejects(
    changeShown({
      read: () => Promise.resolve({ data: "todo", etag: "0" }),
      isAsShown: () => true,
      valueOf: String,
      save: () => Promise.reject(refused),
    }),
    refused,
  );
});
