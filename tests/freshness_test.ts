// The rule of the caches: no answer is older than the last commit that was acknowledged before it was asked for.
import assert from "node:assert/strict";
import fc from "fast-check";
import { users } from "../models/users.ts";
import { signIn } from "../services/accounts/sessions.ts";
import { type Harness, harness } from "./harness.ts";

/** What writers may do, in any order; readers run beside each of them. */
type Act = "edit" | "role" | "suspend" | "logout" | "remove";
const act = fc.constantFrom<Act>("edit", "edit", "edit", "role", "suspend", "logout", "remove");

const READERS = 4;
const ROLES = ["guest", "admin"];

/** What is acknowledged so far of one user. */
interface Acknowledged {
  readonly id: string;
  token: string;
  /** The number that the user's position shows. */
  version: number;
  role: number;
  signedIn: boolean;
  active: boolean;
  exists: boolean;
}

async function createUser(h: Harness, n: number): Promise<Acknowledged> {
  const body = {
    name: "Some Person",
    email: `p${n}@example.com`,
    password: "a fine password",
    position: "0",
    role: "guest",
  };
  const { data } = await h.ask("POST", "/api/users", { as: "super", body });
  const known: Acknowledged = {
    id: data.id,
    token: "",
    version: 0,
    role: 0,
    signedIn: false,
    active: true,
    exists: true,
  };
  await startSession(h, known);
  return known;
}

async function startSession(h: Harness, known: Acknowledged): Promise<void> {
  const { store, tokens } = h.app.services;
  const user = await store.from(users).get(known.id);
  known.token = (await signIn(store, tokens, user!, {})).accessToken;
  known.signedIn = true;
}

/** Performs one act; what it changed is acknowledged when it returns. */
async function perform(h: Harness, known: Acknowledged, what: Act): Promise<void> {
  const put = (body: unknown) => h.ask("PUT", `/api/users/${known.id}`, { as: "super", body });
  if (what === "edit") {
    const version = known.version + 1;
    assert.equal((await put({ position: String(version) })).status, 200);
    known.version = version;
  } else if (what === "role") {
    const role = 1 - known.role;
    assert.equal((await put({ role: ROLES[role] })).status, 200);
    known.role = role;
  } else if (what === "suspend") {
    assert.equal((await put({ status: "suspended" })).status, 200);
    known.active = known.signedIn = false;
  } else if (what === "logout") {
    if (!known.signedIn) return;
    assert.equal((await h.ask("POST", "/api/auth/logout", { token: known.token })).status, 200);
    known.signedIn = false;
  } else {
    assert.equal((await h.ask("DELETE", `/api/users/${known.id}`, { as: "super" })).status, 200);
    known.exists = known.signedIn = false;
  }
}

/** Reads in every way until told to stop; each answer must know what was acknowledged before it was asked for. */
async function read(
  h: Harness,
  known: Acknowledged,
  { stopped, deleting }: { stopped: () => boolean; deleting: () => boolean },
): Promise<void> {
  do {
    const before = { ...known };
    const paths = [
      `/api/users/${known.id}`,
      "/api/users?limit=100",
      `/api/users?search=some&sort=email&limit=100`,
    ];
    for (const path of paths) {
      const reply = await h.ask("GET", path, { as: "super" });
      const shown = [reply.data ?? []].flat().find((user: { id: string }) => user.id === known.id);
      if (!before.exists) assert.equal(shown, undefined, `${path} shows a deleted user`);
      if (shown) {
        assert.ok(Number(shown.position) >= before.version, `${path} is older than its commit`);
      }
      if (!shown) assert.ok(!known.exists || deleting(), `${path} lost a user`);
    }
    if (!before.signedIn) {
      assert.equal((await h.ask("GET", "/api/users/me", { token: before.token })).status, 401);
    }
    // Answers from memory never leave the microtask queue: the writer needs a turn too.
    await new Promise((resolve) => setTimeout(resolve, 0));
  } while (!stopped());
}

/** With nobody writing, what is allowed is exactly what was acknowledged. */
async function assertSettled(h: Harness, known: Acknowledged): Promise<void> {
  const me = await h.ask("GET", "/api/users/me", { token: known.token });
  assert.equal(me.status, known.signedIn ? 200 : 401);
  if (!known.signedIn) return;
  const list = await h.ask("GET", "/api/users", { token: known.token });
  assert.equal(list.status, known.role === 1 ? 200 : 403);
  const { body } = await h.ask("GET", "/api/users?role=admin", { as: "super" });
  assert.equal(body.pagination.total, known.role === 1 ? 2 : 1);
}

Deno.test("freshness: readers beside writers never see what is older than the last acknowledged commit", async () => {
  await using h = await harness();
  let created = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 8 }), async (acts) => {
      const known = await createUser(h, created++);
      for (const what of acts) {
        if (!known.exists) break;
        let stop = false;
        const state = { stopped: () => stop, deleting: () => what === "remove" };
        const readers = Array.from({ length: READERS }, () => read(h, known, state));
        try {
          await perform(h, known, what);
        } finally {
          stop = true;
        }
        await Promise.all(readers);
        await assertSettled(h, known);
        if (known.exists && known.active && !known.signedIn) await startSession(h, known);
      }
      if (known.exists) await h.ask("DELETE", `/api/users/${known.id}`, { as: "super" });
    }),
    { numRuns: 15 },
  );
});
