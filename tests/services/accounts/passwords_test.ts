// Passwords: hashes against known values, what is refused, and what load does to the event loop.
import assert from "node:assert/strict";
import { longestHold } from "../../growth.ts";
import {
  checkNewPassword,
  hashPassword,
  needsRehash,
  verifyPassword,
} from "../../../services/accounts/passwords.ts";
import { hashAtFullCost } from "../../harness.ts";

hashAtFullCost();

const PASSWORD = "correct horse battery staple";
const SALT = "cXVhcnRlcmRlY2stc2FsdA";
/** Of PASSWORD, by an independent implementation (hash-wasm). */
const CURRENT =
  `$argon2id$v=19$m=19456,t=2,p=1$${SALT}$Z9Ga9QSeRQfvJ+TiAKJuvjrIm0SILQKw35VnrytrHb8`;
const SMALL = `$argon2id$v=19$m=64,t=1,p=1$${SALT}$afITGI8a0zNEipzMna+0lQ`;
const TWO_LANES =
  `$argon2id$v=19$m=256,t=3,p=2$${SALT}$Ouaz/5jMY1pT+K9BdKhPo3An84kU/fCj3MLByhS9y6g`;

Deno.test("a hash has the parameters of OWASP and its own salt, and verifies", async () => {
  const [first, second] = await Promise.all([hashPassword(PASSWORD), hashPassword(PASSWORD)]);
  const form = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/;
  assert.match(first, form);
  assert.match(second, form);
  assert.notEqual(first, second);
  assert.equal(await verifyPassword(PASSWORD, first), true);
  assert.equal(await verifyPassword(PASSWORD + " ", first), false);
  assert.equal(needsRehash(first), false);
});

Deno.test("hashes of another implementation verify, whatever their parameters", async () => {
  for (const phc of [CURRENT, SMALL, TWO_LANES]) {
    assert.equal(await verifyPassword(PASSWORD, phc), true, phc);
    assert.equal(await verifyPassword("Correct horse battery staple", phc), false, phc);
  }
});

Deno.test("hashes with other parameters are due for a rehash", () => {
  assert.equal(needsRehash(CURRENT), false);
  for (const phc of [SMALL, TWO_LANES, "", CURRENT.replace("t=2", "t=3")]) {
    assert.equal(needsRehash(phc), true, phc);
  }
});

Deno.test("a tampered, foreign or absent hash fits no password, and no password is an error", async () => {
  const cases: (string | undefined)[] = [
    undefined,
    "",
    "plain text",
    CURRENT.slice(0, -1) + "4",
    CURRENT.replace("$Z9G", "$Z9H"),
    CURRENT.replace("t=2", "t=1"),
    CURRENT.replace("t=2", "t=0"),
    CURRENT.replace("m=19456", "m=4"),
    CURRENT.replace("p=1", "p=0"),
    CURRENT.replace("argon2id", "argon2i"),
    CURRENT.replace("v=19", "v=16"),
    CURRENT.replace(SALT, "a".repeat(13)),
    CURRENT + "\n",
    "$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW",
  ];
  for (const phc of cases) {
    assert.equal(await verifyPassword(PASSWORD, phc), false, String(phc));
  }
  assert.equal(await verifyPassword("", CURRENT), false);
});

Deno.test("no account takes as long as a wrong password", async () => {
  const time = async (phc: string | undefined) => {
    const start = performance.now();
    await verifyPassword("wrong", phc);
    return performance.now() - start;
  };
  // Each beside the other, and of these the middle one: the speed of a busy machine changes from second to second, and the
  // least of each may be of different seconds.
  const ratios: number[] = [];
  for (let i = 0; i < 15; i++) ratios.push(await time(undefined) / await time(CURRENT));
  const middle = ratios.sort((a, b) => a - b)[7]!;
  assert.ok(middle > 1 / 3 && middle < 3, `${middle} times as long: ${ratios.join()}`);
});

Deno.test("both Unicode forms of a password are the same password", async () => {
  const composed = "caf\u00e9 cr\u00e8me";
  const decomposed = "cafe\u0301 cre\u0300me";
  assert.notEqual(composed, decomposed);
  assert.equal(await verifyPassword(decomposed, await hashPassword(composed)), true);
  assert.equal(await verifyPassword("cafe creme", await hashPassword(composed)), false);
});

Deno.test("nothing is truncated", async () => {
  const long = "x".repeat(127);
  const phc = await hashPassword(long + "a");
  assert.equal(await verifyPassword(long + "a", phc), true);
  assert.equal(await verifyPassword(long + "b", phc), false);
});

Deno.test("new passwords: length, and the 10,000 most common in any case", async () => {
  const refused: [string, RegExp][] = [
    ["", /6 characters/],
    ["abcde", /6 characters/],
    ["x".repeat(129), /128 characters/],
    ["123456", /most common/],
    ["password", /most common/],
    ["PassWord", /most common/],
    ["qwerty123", /most common/],
    ["P@ssw0rd", /most common/],
    // Full-width letters: the same password in another Unicode form.
    ["\uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44", /most common/],
  ];
  for (const [password, problem] of refused) {
    assert.match(await checkNewPassword(password) ?? "accepted", problem, password);
  }
  for (const password of ["zq7-fk", PASSWORD, "x".repeat(128), "constructor1", "__proto__"]) {
    assert.equal(await checkNewPassword(password), null, password);
  }
});

Deno.test("32 hashes at once leave the event loop free", async () => {
  let least = Infinity;
  // A busy machine stops the loop now and then: one time that it does not disturb is enough.
  for (let i = 0; i < 10 && least >= 0.5; i++) {
    let hashes: string[] = [];
    const started = performance.now();
    const held = await longestHold(async () => {
      hashes = await Promise.all(Array.from({ length: 32 }, () => hashPassword(PASSWORD)));
    });
    least = Math.min(least, held / (performance.now() - started));
    assert.equal(new Set(hashes).size, 32);
  }
  assert.ok(least < 0.5, `held for ${(least * 100).toFixed(0)} % of the time`);
});
