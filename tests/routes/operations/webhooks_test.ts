// Webhooks over the API: what is refused, who sees and changes which, and that no secret is shown twice.
import assert from "node:assert/strict";
import { MINUTE } from "../../../core/units.ts";
import { webhooks } from "../../../models/webhooks.ts";
import type { Harness } from "../../harness.ts";
import { harness } from "../../harness.ts";
import { scenarios } from "../../scenario.ts";

const URL_OF_HOOK = "https://hooks.example.com/in?key=private";
const make = { url: URL_OF_HOOK, events: ["documents.*"] };

async function hook(h: Harness) {
  const reply = await h.ask("POST", "/api/webhooks", { as: "super", body: make });
  assert.equal(reply.status, 201, reply.text);
  return reply.data as { id: string; secret: string };
}

const post = { method: "POST", path: "/api/webhooks" } as const;
const asSuper = { as: "super" } as const;

scenarios("webhooks", {
  variant: "full",
  arrange: hook,
  rows: [
    {
      ...post,
      ...asSuper,
      name: "one is made, and its secret shown",
      body: make,
      status: 201,
      holds: { data: { url: URL_OF_HOOK, active: true, records: true, events: ["documents.*"] } },
      after: (_, { data }) => assert.match(data.secret, /^whsec_[A-Za-z0-9+/]{43}=$/),
    },
    { ...post, as: "admin", name: "it takes the permission", body: make, status: 403 },
    {
      ...post,
      ...asSuper,
      name: "a private address is refused",
      body: { ...make, url: "https://169.254.169.254/" },
      status: 400,
      details: ["url"],
    },
    {
      ...post,
      ...asSuper,
      name: "an address without TLS is refused",
      body: { ...make, url: "http://example.com/" },
      status: 400,
      details: ["url"],
    },
    {
      ...post,
      ...asSuper,
      name: "unknown events are refused",
      body: { ...make, events: ["documents.*", "sessions.created"] },
      status: 400,
      details: ["events.1"],
    },
    {
      ...post,
      ...asSuper,
      name: "a malformed pattern is refused",
      body: { ...make, events: ["documents.**"] },
      status: 400,
    },
    {
      ...asSuper,
      name: "it is shown without its secret",
      method: "GET",
      path: ({ id }) => `/api/webhooks/${id}`,
      status: 200,
      absent: ["whsec_", '"secret"'],
    },
    {
      as: "other",
      name: "who has no permission does not see it",
      method: "GET",
      path: ({ id }) => `/api/webhooks/${id}`,
      status: 403,
    },
    {
      ...asSuper,
      name: "it is changed",
      method: "PUT",
      path: ({ id }) => `/api/webhooks/${id}`,
      body: { events: ["*"], records: false, description: "For the archive" },
      status: 200,
      holds: { data: { events: ["*"], records: false, description: "For the archive" } },
    },
    {
      ...asSuper,
      name: "change with a stale If-Match: 412",
      method: "PUT",
      path: ({ id }) => `/api/webhooks/${id}`,
      body: { active: false },
      headers: { "if-match": '"stale"' },
      status: 412,
    },
    {
      ...asSuper,
      name: "delete with a stale If-Match: 412",
      method: "DELETE",
      path: ({ id }) => `/api/webhooks/${id}`,
      headers: { "if-match": '"stale"' },
      status: 412,
    },
    {
      ...asSuper,
      name: "a list takes no state that there is not",
      method: "GET",
      path: "/api/webhooks?state=asleep",
      status: 400,
      details: ["state"],
    },
    {
      ...asSuper,
      name: "deliveries of a time take a time",
      method: "POST",
      path: ({ id }) => `/api/webhooks/${id}/replay`,
      body: { from: "yesterday" },
      status: 400,
      details: ["from"],
    },
  ],
});

Deno.test("webhooks: whoever manages them stops and deletes those of others, and changes nothing else", async () => {
  await using h = await harness({ variant: "full" });
  const { id } = await hook(h);
  await h.grant("admin", "webhooks:*");
  const as = "admin" as const;
  const path = `/api/webhooks/${id}`;
  const seen = await h.ask("GET", path, { as });
  assert.equal(seen.data.url, "https://hooks.example.com/…");
  const elsewhere = { url: "https://elsewhere.example.com/" };
  assert.equal((await h.ask("PUT", path, { as, body: elsewhere })).status, 403);
  assert.equal((await h.ask("PUT", path, { as, body: { active: true } })).status, 403);
  assert.equal((await h.ask("POST", `${path}/rotate`, { as })).status, 403);
  assert.equal((await h.ask("PUT", path, { as, body: { active: false } })).status, 200);
  assert.equal((await h.ask("DELETE", path, { as })).status, 200);
  await h.grant("other", "webhooks:view");
  const own = await hook(h);
  assert.equal((await h.ask("GET", `/api/webhooks/${own.id}`, { as: "other" })).status, 404);
  assert.deepEqual((await h.ask("GET", "/api/webhooks", { as: "other" })).data, []);
});

Deno.test("webhooks: the list is searched by what one sees of them, and narrowed to a state", async () => {
  await using h = await harness({ variant: "full" });
  const at = h.clock.now().toISOString();
  const kinds = {
    active: {},
    paused: { active: false },
    failing: { failingSince: at },
    disabled: { active: false, failingSince: at, disabledAt: at, disabledReason: "failing" },
  } as const;
  for (const [state, change] of Object.entries(kinds)) {
    const { id } = await hook(h);
    await h.store.transact({ userId: null }, async (tx) => {
      const made = (await tx.from(webhooks).get(id))!;
      tx.update(webhooks, made, { ...change, description: `The ${state} One` });
    });
  }
  const found = async (query: string, as: "super" | "admin" = "super") => {
    const reply = await h.ask("GET", `/api/webhooks?sort=createdAt&${query}`, { as });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.body.pagination.total, reply.data.length);
    return reply.data.map((one: { state: string }) => one.state);
  };
  const all = Object.keys(kinds);
  assert.deepEqual(await found(""), all);
  for (const state of all) assert.deepEqual(await found(`state=${state}`), [state]);
  assert.deepEqual(await found("search=HOOKS.example"), all);
  assert.deepEqual(await found("search=failing+one"), ["failing"]);
  assert.deepEqual(await found("search=one&state=paused&active=false"), ["paused"]);
  assert.deepEqual(await found("search=nowhere"), []);
  const [first] = (await h.ask("GET", "/api/webhooks?search=one&limit=1", { as: "super" })).data;
  assert.equal(first.state, "disabled", "the newest first, as without a search");

  // The path of an address is its owner's alone: nobody finds it by its parts.
  await h.grant("admin", "webhooks:*");
  assert.deepEqual(await found("search=private"), all);
  assert.deepEqual(await found("search=private", "admin"), []);
  assert.deepEqual(await found("search=hooks.example", "admin"), all);
});

Deno.test("webhooks: making one, rotating its secret and leading it elsewhere take a recent proof", async () => {
  await using h = await harness({ variant: "full" });
  const { id, secret } = await hook(h);
  const stored = await h.store.from(webhooks).get(id);
  assert.ok(!JSON.stringify(stored).includes(secret.slice(6, 30)), "the secret is stored sealed");
  h.clock.advance(11 * MINUTE);
  const as = "super" as const;
  const path = `/api/webhooks/${id}`;
  assert.equal((await h.ask("POST", "/api/webhooks", { as, body: make })).status, 403);
  assert.equal((await h.ask("POST", `${path}/rotate`, { as })).status, 403);
  const elsewhere = { url: "https://elsewhere.example.com/" };
  const moved = await h.ask("PUT", path, { as, body: elsewhere });
  assert.equal(moved.body.error.code, "STEP_UP_REQUIRED");
  assert.equal((await h.ask("PUT", path, { as, body: { active: false } })).status, 200);
});

Deno.test("webhooks: there are a hundred at most, also when they are made at once", async () => {
  await using h = await harness({ variant: "full", env: { RATE_LIMIT: "false" } });
  const made = await Promise.all(
    Array.from({ length: 104 }, () => h.ask("POST", "/api/webhooks", { as: "super", body: make })),
  );
  const statuses = made.map(({ status }) => status);
  assert.ok(statuses.every((status) => [201, 409].includes(status)), statuses.join());
  assert.ok(await h.store.from(webhooks).count() <= 100);
});
