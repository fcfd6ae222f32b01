// The pictures of users: square, small, seen without a token, and gone with what they belong to.
import assert from "node:assert/strict";
import { avatars } from "../../../models/avatars.ts";
import { contents } from "../../../models/files.ts";
import { users } from "../../../models/users.ts";
import { sweep } from "../../../services/sweep.ts";
import { type Account, type Harness, harness } from "../../harness.ts";
import { bombPng, picture, see, turnedJpeg } from "../../pictures.ts";
import { form, png, stored } from "../../uploads.ts";

async function put(h: Harness, as: Account, bytes: Uint8Array<ArrayBuffer>, type = "image/png") {
  return await h.ask("PUT", "/api/users/me/avatar", { as, body: form({ bytes, type }) });
}

async function addressOf(h: Harness, as: Account, bytes = picture(40, 40)): Promise<string> {
  const reply = await put(h, as, bytes);
  assert.equal(reply.status, 200, reply.text);
  return reply.data.avatar;
}

async function empty(h: Harness): Promise<void> {
  assert.equal(await h.store.from(avatars).count(), 0);
  assert.equal(await h.store.from(contents).count(), 0);
  assert.deepEqual((await stored(h)).blobs, []);
}

Deno.test("avatars: the middle of the picture, upright, at an address that needs no token", async () => {
  await using h = await harness();
  const jpeg = turnedJpeg(picture(900, 600, { format: "jpeg" }), 6);
  const reply = await put(h, "user", jpeg, "image/jpeg");
  assert.equal(reply.status, 200, reply.text);
  const response = await h.app.fetch(new Request(`http://localhost${reply.data.avatar}`));
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "image/jpeg");
  assert.match(response.headers.get("content-disposition")!, /^inline/);
  assert.equal(response.headers.get("x-content-type-options"), "nosniff");
  const seen = see(await response.bytes());
  assert.deepEqual([seen.width, seen.height], [256, 256]);
  assert.ok(seen.at(0.95, 0.5)[1]! > 200, "the white is on the right");
  const me = await h.ask("GET", "/api/users/me", { as: "user" });
  assert.equal(me.data.avatar, reply.data.avatar);
  // What was uploaded is not kept, nor does the picture count for a quota.
  const { blobs, used } = await stored(h);
  assert.deepEqual([blobs.length, used], [1, {}]);
});

Deno.test("avatars: another picture, none, or another address in the profile end the one before", async () => {
  await using h = await harness();
  const first = await addressOf(h, "user");
  const second = await addressOf(h, "user", picture(50, 60));
  assert.equal((await h.ask("GET", first)).status, 404);
  assert.equal((await h.ask("GET", second)).status, 200);
  assert.equal((await stored(h)).blobs.length, 1);
  const removed = await h.ask("DELETE", "/api/users/me/avatar", { as: "user" });
  assert.deepEqual([removed.status, removed.data.avatar], [200, undefined]);
  assert.equal((await h.ask("GET", second)).status, 404);
  await empty(h);
  const third = await addressOf(h, "user");
  const body = { avatar: "https://pictures.example/me.png" };
  assert.equal((await h.ask("PUT", "/api/users/me", { as: "user", body })).status, 200);
  assert.equal((await h.ask("GET", third)).status, 404);
  await sweep(h.app.services, h.clock.now());
  await empty(h);
});

Deno.test("avatars: two users with the same picture have it each for themselves", async () => {
  await using h = await harness();
  const [mine, other] = [await addressOf(h, "user"), await addressOf(h, "guest")];
  assert.notEqual(mine, other);
  await h.ask("DELETE", "/api/users/me/avatar", { as: "guest" });
  assert.equal((await h.ask("GET", mine)).status, 200);
});

Deno.test("avatars: one ends with its user, and is in what the user is told of themselves", async () => {
  await using h = await harness({ variant: "full" });
  const address = await addressOf(h, "user");
  const data = await h.ask("GET", `/api/users/${h.accounts.user.id}/data`, { as: "super" });
  assert.match(data.text, /"avatar":\[\{"mimeType":"image\/jpeg"/);
  const { id } = h.accounts.user;
  assert.equal((await h.ask("DELETE", `/api/users/${id}`, { as: "super" })).status, 200);
  assert.equal(await h.store.from(users).get(id), null);
  assert.equal((await h.ask("GET", address)).status, 404);
  await empty(h);
});

Deno.test("avatars: what is no picture, or a hostile one, is refused and leaves nothing", async () => {
  await using h = await harness();
  const address = await addressOf(h, "user");
  const svg = new TextEncoder().encode("<svg xmlns='http://www.w3.org/2000/svg'/>");
  const before = (await stored(h)).blobs;
  assert.equal((await put(h, "user", svg, "image/svg+xml")).status, 415);
  assert.equal((await put(h, "user", bombPng(60_000, 60_000))).status, 415);
  assert.equal((await put(h, "user", picture(90, 90).slice(0, 120))).status, 415);
  assert.equal(
    (await put(h, "user", new Uint8Array([...png(), ...new Uint8Array(10 * 1024 * 1024)]))).status,
    413,
  );
  assert.deepEqual((await stored(h)).blobs, before);
  assert.equal((await h.ask("GET", address)).status, 200);
  assert.equal((await h.ask("PUT", "/api/users/me/avatar", { body: form() })).status, 401);
});
