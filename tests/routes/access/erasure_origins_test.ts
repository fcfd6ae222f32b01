// Erasing a person takes where they came from before they were signed in, too: the log says that nobody did that.
import assert from "node:assert/strict";
import { auditLog } from "../../../models/audit.ts";
import { users } from "../../../models/users.ts";
import { proveAudit } from "../../../services/audit/proof.ts";
import { type Harness, harness, PASSWORD } from "../../harness.ts";
import { Browser } from "../../providers/browser.ts";
import { signIn, withLiar } from "../../providers/scene.ts";
import { FROM, MARKS } from "./person_scene.ts";

const PERSON = { name: "Zeldamira Quixworth", email: "zeldamira@quixworth.example" };

/** Entries that tell where a request came from, or which it was, of others than were there from the start. */
async function located(h: Harness) {
  const entries = await Array.fromAsync(h.store.from(auditLog).scan());
  const others = new Set(Object.values(h.accounts).map(({ id }) => id));
  return entries.filter(({ ip, requestId, actorId }) =>
    (ip !== undefined || requestId !== undefined) && !others.has(actorId ?? "")
  );
}

/** The chain is made before, so that the erasure is held to it. */
async function erase(h: Harness): Promise<void> {
  const { id } = (await h.store.from(users).findBy("email", PERSON.email))!;
  const { audit } = h.app.services;
  await audit.link();
  const { status } = await h.ask("DELETE", `/api/users/${id}?erase=true`, { as: "super" });
  assert.equal(status, 200);
  await audit.link();
  assert.deepEqual((await proveAudit(h.store, audit.notary)).problems, []);
}

Deno.test("erasure: where somebody registered, and came by links, is told no more", async () => {
  await using h = await harness();
  const password = "a quiet harbour";
  const post = async (path: string, body: unknown) => {
    const { status } = await h.ask("POST", path, { from: FROM, body });
    assert.ok(status < 300, path);
  };
  await post("/api/auth/register", { ...PERSON, password, confirmPassword: password });
  await post("/api/auth/verify-email", { token: h.mailedToken(PERSON.email), password });
  assert.deepEqual((await located(h)).map(({ ip, action }) => `${action} ${ip}`).sort(), [
    `insert ${FROM}`,
    `signIn ${FROM}`,
    `update ${FROM}`,
  ]);
  await erase(h);
  assert.deepEqual(await located(h), []);
});

for (const unlinked of [false, true]) {
  const name = unlinked ? "and was unlinked from" : "by";
  Deno.test(`erasure: where somebody first signed in ${name} a provider is told no more`, async () => {
    await withLiar({}, async ({ h, provider }) => {
      const scene = { h, provider, browser: new Browser(h, FROM) };
      const { status, body } = await signIn(scene, { ...PERSON, email_verified: true });
      assert.equal(status, 200);
      const token = body.accessToken;
      if (unlinked) {
        const { id } = body.user;
        const given = { as: "super" as const, body: { password: PASSWORD } };
        assert.equal((await h.ask("PUT", `/api/users/${id}`, given)).status, 200);
        const login = { from: FROM, body: { email: PERSON.email, password: PASSWORD } };
        const { data } = await h.ask("POST", "/api/auth/login", login);
        const own = { token: data.accessToken, from: FROM };
        const { data: [identity] } = await h.ask("GET", "/api/auth/identities", own);
        const path = `/api/auth/identities/${identity.id}`;
        assert.equal((await h.ask("DELETE", path, own)).status, 200);
      } else assert.ok(token);
      assert.ok((await located(h)).some(({ target }) => target === "identities"));
      await erase(h);
      assert.deepEqual(await located(h), []);
    });
  });
}

Deno.test("erasure: no salt or hash has one of the marks by chance", () => {
  for (const mark of MARKS) assert.ok(/[^\w-]/.test(mark) || mark.length >= 9, mark);
});
