// The chain over the audit log: it holds whatever was written, through erasures, retention, crashes and other processes;
// and whatever is changed, removed or put between is found.
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  auditCheckpoints,
  auditLinks,
  auditLog,
  auditPositions,
  CHAIN,
  CUT,
  HEAD,
} from "../../../models/audit.ts";
import { users } from "../../../models/users.ts";
import { AuditWork } from "../../../services/audit/audit.ts";
import { proveAudit } from "../../../services/audit/proof.ts";
import { finishDeletions } from "../../../services/content/deletions.ts";
import type { CollectionDeclaration, Entity, Store } from "../../../storage/port.ts";
import { DAY, HOUR, MINUTE } from "../../../core/units.ts";
import { type Harness, harness } from "../../harness.ts";
import { interposedHarness, killed } from "../../interposed.ts";

const server = { userId: null };
const from = { userId: null, ip: "192.0.2.7", requestId: "request" };

function prove(h: Harness) {
  return proveAudit(h.store, h.app.services.audit.notary);
}

async function assertProven(h: Harness): Promise<void> {
  assert.deepEqual((await prove(h)).problems, []);
}

let written = 0;

/** Some entries that are of no request. */
async function write(h: Harness, count = 1): Promise<void> {
  for (let n = 0; n < count; n++) {
    await h.store.transact(from, async (tx) => {
      const user = (await tx.from(users).get(h.accounts.other.id))!;
      tx.update(users, user, { bio: `Wrote x ${++written} times` });
    });
  }
}

async function all<T extends Entity>(store: Store, of: CollectionDeclaration<T>): Promise<T[]> {
  return await Array.fromAsync(store.from(of).scan());
}

/** Changes a record behind the server's back. */
async function tamper<T extends Entity>(
  { store }: Harness,
  of: CollectionDeclaration<T>,
  before: T,
  patch: Partial<T> | null,
): Promise<void> {
  const collection = of.name;
  const change = patch === null
    ? { kind: "remove" as const, collection, before }
    : { kind: "update" as const, collection, before, after: { ...before, ...patch } };
  await store.commit([change], { actor: server });
}

/** Moves the position in the journal, so that the server passes over what is there. */
async function skipJournal(h: Harness, position = h.store.position()): Promise<void> {
  const held = await h.store.from(auditPositions).get(CHAIN);
  await tamper(h, auditPositions, held!, { position });
}

async function chained(count = 3): Promise<Harness> {
  const h = await harness();
  await h.app.services.audit.link();
  await write(h, count);
  await h.app.services.audit.link();
  return h;
}

Deno.test("chain: what is written is linked in order, once, and proven", async () => {
  await using h = await harness();
  const { audit } = h.app.services;
  assert.deepEqual((await prove(h)).links, 0);
  await audit.link();
  await write(h, 3);
  const waiting = await prove(h);
  assert.deepEqual([waiting.waiting, waiting.problems], [3, []]);
  await audit.link();
  await audit.link();
  const proof = await prove(h);
  assert.deepEqual([proof.waiting, proof.problems, proof.links], [0, [], 2]);
  assert.equal(proof.entries, await h.store.from(auditLog).count());
  const links = (await h.store.from(auditLinks).list({ sort: "seq" })).rows;
  assert.deepEqual(links.map(({ seq }) => seq), [1, 2]);
  assert.equal(links[1]!.previous, links[0]!.hash);
  assert.equal(links[1]!.entries.length, 3);
  const kept = (await h.store.from(auditCheckpoints).list({ where: { kind: "kept" } })).rows;
  assert.equal(kept.length, 1);
});

Deno.test("chain: what comes in one commit or in thousands is in as many links as it takes", async () => {
  await using h = await harness();
  const { audit } = h.app.services;
  await audit.link();
  const entry = { action: "update", target: "users", targetId: "u", targetName: "U", fields: [] };
  const at = h.clock.now().toISOString();
  const records = Array.from({ length: 1203 }, (_, n) => ({
    ...entry,
    id: `loaded-${String(n).padStart(5, "0")}`,
    createdAt: at,
    updatedAt: at,
  }));
  await h.store.load(auditLog, records);
  await audit.link();
  const proof = await prove(h);
  assert.deepEqual(proof.problems, []);
  assert.ok(proof.links >= 4 && proof.waiting === 0);
});

/** Each changes something about the log or its chain; null where there is nothing of the kind. */
const forgeries: Readonly<Record<string, (h: Harness, pick: number) => Promise<void | null>>> = {
  "a field of an entry is changed": async (h, pick) => {
    const entries = await all(h.store, auditLog);
    const entry = entries[pick % entries.length]!;
    const fields = ["action", "target", "targetId", "targetName", "actorId", "ip", "requestId"];
    const field = fields[pick % fields.length]!;
    await tamper(h, auditLog, entry, { [field]: `${entry[field as "action"]}!` });
  },
  "its time is changed": async (h, pick) => {
    const entries = await all(h.store, auditLog);
    const entry = entries[pick % entries.length]!;
    const createdAt = new Date(Date.parse(entry.createdAt) + 1).toISOString();
    await tamper(h, auditLog, entry, { createdAt });
  },
  "what changed is changed": async (h, pick) => {
    const entries = (await all(h.store, auditLog)).filter(({ changes }) => changes);
    const entry = entries[pick % entries.length];
    if (!entry) return null;
    return await tamper(h, auditLog, entry, { changes: `${entry.changes} ` });
  },
  "its fields are changed": async (h, pick) => {
    const entries = await all(h.store, auditLog);
    const entry = entries[pick % entries.length]!;
    await tamper(h, auditLog, entry, { fields: [...entry.fields, "role"] });
  },
  "its seals are taken off": async (h, pick) => {
    const entries = (await all(h.store, auditLog)).filter(({ seals }) => seals?.length);
    await tamper(h, auditLog, entries[pick % entries.length]!, { seals: [] });
  },
  "an entry is removed": async (h, pick) => {
    const entries = await all(h.store, auditLog);
    await tamper(h, auditLog, entries[pick % entries.length]!, null);
  },
  "the newest entry is removed": async (h) => {
    const { rows: [entry] } = await h.store.from(auditLog).list({ limit: 1 });
    await tamper(h, auditLog, entry!, null);
  },
  "an entry is put in, past the server": async (h, pick) => {
    const entries = await all(h.store, auditLog);
    const { id: _, ...entry } = entries[pick % entries.length]!;
    await h.store.transact(server, (tx) => void tx.insert(auditLog, entry));
    await skipJournal(h);
  },
  "a link is removed": async (h, pick) => {
    const links = await all(h.store, auditLinks);
    await tamper(h, auditLinks, links[pick % links.length]!, null);
  },
  "the newest link is removed, with its entries": async (h) => {
    const { rows: [link] } = await h.store.from(auditLinks).list({ sort: "-seq", limit: 1 });
    for (const line of link!.entries) {
      const entry = await h.store.from(auditLog).get(line.split(" ")[0]!);
      if (entry) await tamper(h, auditLog, entry, null);
    }
    await tamper(h, auditLinks, link!, null);
  },
  "a line of a link is removed, with its entry": async (h, pick) => {
    const links = (await all(h.store, auditLinks)).filter(({ entries }) => entries.length > 0);
    const link = links[pick % links.length]!;
    const [line, ...entries] = link.entries;
    const entry = await h.store.from(auditLog).get(line!.split(" ")[0]!);
    if (entry) await tamper(h, auditLog, entry, null);
    await tamper(h, auditLinks, link, { entries });
  },
  "the note of a link is changed": async (h, pick) => {
    const links = await all(h.store, auditLinks);
    const link = links[pick % links.length]!;
    await tamper(h, auditLinks, link, { note: link.note ? undefined : "late" });
  },
  "the head is removed": async (h) => {
    await tamper(h, auditCheckpoints, (await h.store.from(auditCheckpoints).get(HEAD))!, null);
  },
  "the head is an older checkpoint": async (h) => {
    const { rows: [kept] } = await h.store.from(auditCheckpoints).list({ where: { kind: "kept" } });
    const head = (await h.store.from(auditCheckpoints).get(HEAD))!;
    const { seq, hash, at, signature } = kept!;
    await tamper(h, auditCheckpoints, head, { seq, hash, at, signature });
    for (const link of await all(h.store, auditLinks)) {
      if (link.seq > seq) await tamper(h, auditLinks, link, null);
    }
  },
  "all of the log and of its chain is removed": async (h) => {
    const empty = async <T extends Entity>(of: CollectionDeclaration<T>) => {
      for (const record of await all(h.store, of)) await tamper(h, of, record, null);
    };
    await empty(auditLog);
    await empty(auditLinks);
    await empty(auditCheckpoints);
    await empty(auditPositions);
  },
  "a checkpoint is changed": async (h) => {
    const { rows: [kept] } = await h.store.from(auditCheckpoints).list({ where: { kind: "kept" } });
    await tamper(h, auditCheckpoints, kept!, { hash: `${kept!.hash.slice(0, -1)}_` });
  },
  "a cut is made up": async (h) => {
    // Where there is one, another forgery changes it.
    if (await h.store.from(auditCheckpoints).get(CUT)) return null;
    const head = (await h.store.from(auditCheckpoints).get(HEAD))!;
    const before = new Date(h.clock.now().getTime() + DAY).toISOString();
    await h.store.transact(server, (tx) => {
      tx.insert(auditCheckpoints, { ...head, id: CUT, kind: "cut", before });
    });
    return undefined;
  },
};

for (const [name, forge] of Object.entries(forgeries)) {
  Deno.test(`chain: it is found that ${name}`, async () => {
    await using h = await chained();
    await assertProven(h);
    assert.notEqual(await forge(h, 1), null);
    assert.notDeepEqual((await prove(h)).problems, []);
    // Nor does what comes later hide it.
    h.clock.advance(2 * HOUR);
    await write(h);
    await new AuditWork({ store: h.store, keys: h.settings.auditKeys, clock: h.clock.now }).link();
    assert.notDeepEqual((await prove(h)).problems, []);
  });
}

Deno.test("chain: an entry in the journal that servers have passed over is found, and where the first wrong one is", async () => {
  await using h = await chained();
  const position = h.store.position();
  const [entry] = await all(h.store, auditLog);
  const { id: _, ...copy } = entry!;
  await h.store.transact(server, (tx) => void tx.insert(auditLog, copy));
  await skipJournal(h);
  h.clock.advance(2 * MINUTE);
  await write(h);
  await h.app.services.audit.link();
  await skipJournal(h, position);
  assert.equal((await prove(h)).problems.length, 1);

  const { rows: [newest] } = await h.store.from(auditLog).list({ limit: 1 });
  await tamper(h, auditLog, newest!, { action: "remove" });
  await tamper(h, auditLog, entry!, { action: "remove" });
  const { problems } = await prove(h);
  assert.ok(problems[0]!.includes(entry!.id), problems[0]);
});

Deno.test("chain: with another key it goes on, marked for good; a former key may be named", async () => {
  await using h = await chained();
  const { store, clock: { now: clock } } = h;
  const [was] = h.settings.auditKeys;
  const next = "another key, which is as long as the first";
  const both = new AuditWork({ store, keys: [next, was!], clock });
  await write(h);
  h.clock.advance(MINUTE);
  await both.link();
  assert.deepEqual((await proveAudit(store, both.notary)).problems, []);

  const lost = new AuditWork({ store, keys: ["a third key, for the others were lost"], clock });
  h.clock.advance(MINUTE);
  await lost.link();
  await write(h);
  await lost.link();
  const { problems, head } = await proveAudit(store, lost.notary);
  assert.ok(problems.some((problem) => problem.includes("goes on from links")), problems.join());
  assert.equal(head!.seq, await store.from(auditLinks).count());
});

Deno.test("chain: killed before any of its commits it goes on, with nothing left out", async () => {
  await using h = await interposedHarness();
  const { store } = h;
  const open = () => new AuditWork({ store, keys: h.settings.auditKeys, clock: h.clock.now });
  for (let survived = 0, done = false; !done; survived++) {
    await write(h, 2);
    h.clock.advance(MINUTE);
    let commits = 0;
    store.beforeCommit = () => {
      if (commits++ === survived) throw killed();
    };
    done = await open().link().then(() => true, () => false);
    store.beforeCommit = null;
    assert.deepEqual((await prove(h)).problems, []);
  }
  h.clock.advance(MINUTE);
  await open().link();
  const proof = await prove(h);
  assert.deepEqual([proof.problems, proof.waiting], [[], 0]);
});

Deno.test("chain: several that link at once make one chain", async () => {
  await using h = await chained();
  const { store, clock: { now: clock } } = h;
  const works = Array.from(
    { length: 4 },
    () => new AuditWork({ store, keys: h.settings.auditKeys, clock }),
  );
  for (let n = 0; n < 5; n++) {
    await Promise.all([write(h, 2), ...works.map((work) => work.link())]);
    h.clock.advance(MINUTE);
  }
  for (const work of works) await work.link();
  const proof = await prove(h);
  assert.deepEqual([proof.problems, proof.waiting], [[], 0]);
});

Deno.test("chain: retention cuts its beginning off, also when it is ended midway; the proof holds", async () => {
  await using h = await interposedHarness();
  const { store, clock, app: { services: { audit } } } = h;
  for (let n = 0; n < 6; n++) {
    await write(h, 60);
    await audit.link();
    clock.advance(DAY);
  }
  for (let survived = 0, done = false; !done; survived++) {
    let commits = 0;
    store.beforeCommit = () => {
      if (commits++ === survived) throw killed();
    };
    done = await audit.sweep(3, clock.now()).then(() => true, () => false);
    store.beforeCommit = null;
    assert.deepEqual((await prove(h)).problems, []);
    assert.ok(survived < 50);
  }
  const proof = await prove(h);
  assert.equal(proof.entries, 3 * 60);
  assert.equal(await store.from(auditLinks).count(), 3);
  clock.advance(30 * DAY);
  await audit.sweep(3, clock.now());
  await write(h);
  await audit.link();
  assert.deepEqual((await prove(h)).problems, []);
  assert.equal((await prove(h)).entries, 1);
  const [entry] = await all(store, auditLog);
  await tamper(h, auditLog, entry!, null);
  assert.equal((await prove(h)).problems.length, 1);
});

Deno.test("chain: an erasure takes the values and leaves the proof; without one it is found", async () => {
  await using h = await harness();
  const { audit } = h.app.services;
  const { user } = h.accounts;
  const body = { name: "Somebody Else", phone: "+49 30 1234" };
  await h.ask("PUT", `/api/users/${user.id}`, { as: "super", body });
  await h.ask("PUT", "/api/users/me", { as: "user", body: { bio: "About me" } });
  await audit.link();
  const told = async () => JSON.stringify(await all(h.store, auditLog));
  assert.match(await told(), /\+49 30 1234/);
  assert.match(await told(), /About me/);
  const stepUp = { as: "super" as const, body: { password: "correct horse battery" } };
  await h.ask("POST", "/api/auth/step-up", stepUp);
  const erased = await h.ask("DELETE", `/api/users/${user.id}?erase=true`, { as: "super" });
  assert.equal(erased.status, 200, erased.text);
  await finishDeletions(h.store, h.clock.now());
  await audit.link();
  assert.doesNotMatch(await told(), /\+49 30 1234|About me|Somebody/);
  await assertProven(h);

  // Nobody else may be made unknown by the same means.
  const entries = await all(h.store, auditLog);
  const other = entries.find(({ targetId, ip }) => targetId === h.accounts.other.id && !ip) ??
    assert.fail("there is an entry of another");
  await tamper(h, auditLog, other, {
    targetName: "Deleted user",
    seals: other.seals!.map((seal) => seal.replace(/ salt .*/, ` hash ${"A".repeat(43)}`)),
  });
  assert.equal((await prove(h)).problems.length, 2);
});

Deno.test("chain: whatever is done it is proven, and whatever is forged then is found", async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("write"), n: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ kind: fc.constant("link"), n: fc.constant(1) }),
    fc.record({ kind: fc.constant("restart"), n: fc.constant(1) }),
    fc.record({ kind: fc.constant("wait"), n: fc.integer({ min: 1, max: 60 }) }),
    fc.record({ kind: fc.constant("sweep"), n: fc.integer({ min: 1, max: 3 }) }),
  );
  const steps = fc.array(step, { maxLength: 12 });
  const forgery = fc.constantFrom(...Object.keys(forgeries));
  await fc.assert(
    fc.asyncProperty(steps, forgery, fc.nat(1000), async (steps, name, pick) => {
      await using h = await chained(1);
      let { audit } = h.app.services;
      for (const { kind, n } of steps) {
        if (kind === "write") await write(h, n);
        else if (kind === "link") await audit.link();
        else if (kind === "wait") h.clock.advance(n * HOUR);
        else if (kind === "sweep") await audit.sweep(n, h.clock.now());
        else {
          h.clock.advance(MINUTE);
          audit = new AuditWork({
            store: h.store,
            keys: h.settings.auditKeys,
            clock: h.clock.now,
          });
        }
        await assertProven(h);
      }
      h.clock.advance(2 * HOUR);
      await write(h);
      await audit.link();
      await assertProven(h);
      if (await forgeries[name]!(h, pick) === null) return;
      assert.notDeepEqual((await prove(h)).problems, [], name);
    }),
    { numRuns: 25 },
  );
});
