// Which requests are let in together: those that commit once, from outside.
import assert from "node:assert/strict";
import { admission } from "../../core/admission.ts";
import { harness } from "../harness.ts";

/** How many requests of these were to be let in. */
async function admitted(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const { admit } = admission;
  admission.admit = (serve) => {
    count++;
    return admit.call(admission, serve) as ReturnType<typeof serve>;
  };
  try {
    await work();
  } finally {
    admission.admit = admit;
  }
  return count;
}

Deno.test("admission: requests that commit once come in by it, others pass", async () => {
  await using h = await harness({ variant: "full" });
  const document = { title: "Fine", content: "text" };
  const operations = [1, 2, 3].map(() => ({
    method: "POST",
    path: "/api/documents",
    body: document,
  }));
  const ask = (method: string, path: string, body?: unknown) => async () => {
    const { status } = await h.ask(method, path, { as: "super", body });
    assert.ok(status < 300, `${method} ${path}: ${status}`);
  };
  assert.equal(await admitted(ask("POST", "/api/documents", document)), 1);
  assert.equal(await admitted(ask("PUT", "/api/users/me", { name: "Somebody" })), 1);
  assert.equal(await admitted(ask("GET", "/api/documents")), 0);
  // Those that pass make a crowd; of a batch that is the batch, not its parts.
  const others = async (work: () => Promise<unknown>) => {
    const before = admission.others;
    await work();
    return admission.others - before;
  };
  assert.notEqual(await others(ask("GET", "/api/documents")), 0);
  assert.equal(await others(ask("POST", "/api/documents", document)), 0);
  assert.equal(await others(ask("POST", "/api/batch", { operations })), 1);
  // Of a batch each part would wait for the next one.
  assert.equal(await admitted(ask("POST", "/api/batch", { operations })), 0);
  assert.equal(await admitted(ask("POST", "/api/batch", { operations, atomic: true })), 0);
});
