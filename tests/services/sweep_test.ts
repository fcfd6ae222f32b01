// The sweep: what has expired goes, what has not stays, and a part that fails does not keep the others from being done.
import assert from "node:assert/strict";
import { auditLog } from "../../models/audit.ts";
import { contents } from "../../models/files.ts";
import { idempotentAnswers } from "../../models/idempotency.ts";
import { passwordResets, sessions } from "../../models/sessions.ts";
import { rotate, signIn } from "../../services/accounts/sessions.ts";
import { sweep } from "../../services/sweep.ts";
import type { Store } from "../../storage/port.ts";
import { type Harness, harness } from "../harness.ts";
import { interposedHarness, killed } from "../interposed.ts";
import { upload } from "../uploads.ts";

const server = { userId: null };
const DAY = 24 * 60 * 60 * 1000;

function later(h: Harness, milliseconds: number): string {
  return new Date(h.clock.now().getTime() + milliseconds).toISOString();
}

async function addAnswers(store: Store, expiresAt: string, count: number): Promise<void> {
  await store.transact(server, (tx) => {
    for (let n = 0; n < count; n++) {
      tx.insert(idempotentAnswers, { requestHash: "hash", outcome: "sealed", expiresAt });
    }
  });
}

Deno.test("sweep: what has expired goes, in as many commits as it takes; the rest stays", async () => {
  await using h = await interposedHarness();
  const { store } = h;
  await addAnswers(store, later(h, -1), 120);
  await addAnswers(store, later(h, 0), 1);
  await addAnswers(store, later(h, DAY), 2);
  const userId = h.accounts.user.id;
  await store.transact(server, (tx) => {
    tx.insert(passwordResets, { userId, tokenHash: "old", expiresAt: later(h, -1) });
    tx.insert(passwordResets, { userId, tokenHash: "new", expiresAt: later(h, DAY) });
  });
  const signedIn = await store.from(sessions).count();
  await sweep(h.app.services, h.clock.now());
  assert.equal(await store.from(idempotentAnswers).count(), 3);
  const resets = (await store.from(passwordResets).list()).rows;
  assert.deepEqual(resets.map(({ tokenHash }) => tokenHash), ["new"]);
  assert.equal(await store.from(sessions).count(), signedIn);
});

Deno.test("sweep: a session that is renewed between the look and the removal stays", async () => {
  await using h = await interposedHarness();
  const { store } = h;
  const { tokens } = h.app.services;
  const { session, refreshToken } = await signIn(store, tokens, h.accounts.user, {});
  const expired = new Date(Date.parse(session.expiresAt) + 1);
  store.beforeCommit = async () => {
    store.beforeCommit = null;
    h.clock.advance(DAY);
    assert.ok(await rotate(h.app.services, refreshToken, {}));
  };
  await sweep(h.app.services, expired);
  assert.notEqual(await store.from(sessions).get(session.id), null);
});

Deno.test("sweep: bytes that nobody owns go after a day, those of a file stay", async () => {
  await using h = await interposedHarness();
  const { store } = h;
  await h.grant("user", "files:create");
  await upload(h, "user");
  const bytes = () => new Blob(["left behind"]).stream();
  const orphan = await store.blobs.put(bytes(), { maxBytes: 100 });
  const ids = async () => (await Array.fromAsync(store.blobs.list())).map(({ id }) => id);
  await sweep(h.app.services, new Date(later(h, DAY - 1000)));
  assert.equal((await ids()).length, 2);
  await sweep(h.app.services, new Date(later(h, DAY + 1000)));
  const left = await ids();
  assert.equal(left.includes(orphan.id), false);
  const [content] = (await store.from(contents).list()).rows;
  assert.deepEqual(left, [content!.blobId]);
});

Deno.test("sweep: when one part fails the others are done, and the failure is told", async () => {
  await using h = await interposedHarness();
  const { store } = h;
  await addAnswers(store, later(h, -1), 1);
  const userId = h.accounts.user.id;
  await store.transact(server, (tx) => {
    tx.insert(passwordResets, { userId, tokenHash: "old", expiresAt: later(h, -1) });
  });
  store.beforeCommit = (changes) => {
    if (changes.some(({ collection }) => collection === "passwordResets")) throw killed();
  };
  await assert.rejects(sweep(h.app.services, h.clock.now()), { name: "StoreUnavailable" });
  assert.equal(await store.from(passwordResets).count(), 1);
  assert.equal(await store.from(idempotentAnswers).count(), 0);
});

Deno.test("sweep: entries of the audit log go after AUDIT_DAYS, and with 0 never", async () => {
  for (const [days, left] of [["30", 2], ["0", 122]] as const) {
    await using h = await harness({ env: { AUDIT_DAYS: days } });
    await h.store.transact(server, async (tx) => {
      for (const entry of (await tx.from(auditLog).list({ limit: 100 })).rows) {
        tx.remove(auditLog, entry);
      }
    });
    const entry = { action: "update", target: "users", targetId: "u", targetName: "U", fields: [] };
    await h.store.transact(server, (tx) => {
      for (let n = 0; n < 120; n++) {
        tx.insert(auditLog, { ...entry, createdAt: later(h, -30 * DAY - 1) });
      }
      tx.insert(auditLog, { ...entry, createdAt: later(h, -30 * DAY) });
      tx.insert(auditLog, { ...entry, createdAt: later(h, 0) });
    });
    await sweep(h.app.services, h.clock.now());
    assert.equal(await h.store.from(auditLog).count(), left);
  }
});
