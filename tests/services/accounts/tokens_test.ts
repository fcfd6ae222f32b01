// Signing and verifying tokens; what is remembered and for how long.
import assert from "node:assert/strict";
import { SignJWT } from "jose";
import { createTokens, DEVICE_LIFETIME } from "../../../services/accounts/tokens.ts";
import { TestClock } from "../../harness.ts";

const SECRET = "a secret that is long enough for tests";
const subject = { userId: "u", sid: "s", jti: "j", issuedAt: 1_763_719_200 };

function tokens(clock = new TestClock("2025-11-21T10:00:00Z"), remembered?: number) {
  const secrets = { access: SECRET, refresh: `${SECRET} too` };
  return createTokens({
    secrets,
    lifetimes: { access: 900, refresh: 3600 },
    clock: clock.now,
    remembered,
  });
}

Deno.test("tokens: the same input gives the same token, with the contract's claims", async () => {
  const { sign, verify } = tokens();
  const token = await sign("access", subject);
  assert.equal(token, await sign("access", subject));
  assert.deepEqual(await verify("access", token), {
    userId: "u",
    sid: "s",
    type: "access",
    jti: "j",
    iat: subject.issuedAt,
    exp: subject.issuedAt + 900,
  });
});

Deno.test("tokens: types are not interchangeable, nor are secrets and algorithms", async () => {
  const { sign, verify } = tokens();
  assert.equal(await verify("refresh", await sign("access", subject)), null);
  assert.equal(await verify("access", await sign("refresh", subject)), null);
  const key = new TextEncoder().encode(SECRET.padEnd(64, "x"));
  const claims = { userId: "u", sid: "s", type: "access" };
  const other = await new SignJWT(claims).setProtectedHeader({ alg: "HS512" }).setJti("j")
    .setIssuedAt(subject.issuedAt).setExpirationTime(subject.issuedAt + 900).sign(key);
  assert.equal(await verify("access", other), null);
});

Deno.test("tokens: what is missing a claim is refused", async () => {
  const { verify } = tokens();
  const bare = await new SignJWT({ type: "access" }).setProtectedHeader({ alg: "HS256" })
    .setIssuedAt(subject.issuedAt).setExpirationTime(subject.issuedAt + 900)
    .sign(new TextEncoder().encode(SECRET));
  assert.equal(await verify("access", bare), null);
});

Deno.test("tokens: recalled until they expire, and only so many", async () => {
  const clock = new TestClock("2025-11-21T10:00:00Z");
  const { sign, verify, recall } = tokens(clock, 2);
  const [a, b, c] = await Promise.all(
    ["a", "b", "c"].map((jti) => sign("access", { ...subject, jti })),
  ) as [string, string, string];
  assert.equal(recall(a), undefined);
  for (const token of [a, b, c]) await verify("access", token);
  assert.equal(recall(a), undefined, "the oldest is dropped");
  assert.equal(recall(c)?.jti, "c");
  assert.equal(recall(`${c} `), undefined, "the exact string only");
  clock.advance(900_000);
  assert.equal(recall(c), undefined);
  assert.equal(await verify("access", c), null);
});

Deno.test("tokens: a device is known by its own token, and by a refresh token that has expired, for a year", async () => {
  const clock = new TestClock("2025-11-21T10:00:00Z");
  const { sign, signDevice, deviceOf } = tokens(clock);
  const device = { id: "d", userIds: ["u", "v"] };
  const own = await signDevice(device);
  const refresh = await sign("refresh", subject);
  clock.advance(DEVICE_LIFETIME * 1000);
  assert.deepEqual(await deviceOf(own), device);
  assert.deepEqual(await deviceOf(refresh), { id: "s", userIds: ["u"] });
  clock.advance(1000);
  assert.equal(await deviceOf(own), null);
  assert.equal(await deviceOf(refresh), null);
  const many = await signDevice({ id: "d", userIds: ["1", "2", "3", "4", "5", "6"] });
  assert.deepEqual((await deviceOf(many))?.userIds, ["1", "2", "3", "4", "5"]);
});

Deno.test("tokens: a device token is no credential, and nothing else makes a device", async () => {
  // One secret for both kinds, as in compact.
  const { sign, signDevice, verify, deviceOf } = createTokens({
    secrets: { access: SECRET, refresh: SECRET },
    lifetimes: { access: 900, refresh: 3600 },
    clock: new TestClock("2025-11-21T10:00:00Z").now,
  });
  const device = await signDevice({ id: "d", userIds: ["u"] });
  assert.equal(await verify("access", device), null);
  assert.equal(await verify("refresh", device), null);
  assert.equal(await deviceOf(await sign("access", subject)), null);
  assert.equal(await deviceOf(`${device}x`), null);
  assert.equal(await deviceOf(await tokens().signDevice({ id: "d", userIds: ["u"] })), null);
  assert.equal(await deviceOf("garbage"), null);
});
