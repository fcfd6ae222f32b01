// When deliveries are tried again, and signatures, whatever the numbers and texts.
import assert from "node:assert/strict";
import fc from "fast-check";
import { Webhook as Verifier } from "standardwebhooks";
import { DAY, SECOND } from "../../../core/units.ts";
import {
  delayAfter,
  JITTER,
  LONGEST_WAIT,
  MAX_ATTEMPTS,
  retryAfter,
} from "../../../services/webhooks/schedule.ts";
import { newSecret, signatureHeaders } from "../../../services/webhooks/secrets.ts";

Deno.test("schedule: each wait is as long as the table says or a little longer, and there is an end", () => {
  const waits = Array.from({ length: MAX_ATTEMPTS }, (_, made) => delayAfter(made, 0, () => 0)!);
  assert.deepEqual(waits.map((wait) => wait / SECOND), [
    ...[0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400],
  ]);
  assert.equal(delayAfter(MAX_ATTEMPTS), null);
  const made = fc.integer({ min: 0, max: MAX_ATTEMPTS - 1 });
  const part = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(fc.property(made, part, fc.nat(10 * DAY), (made, random, asked) => {
    const wait = delayAfter(made, asked, () => random)!;
    const [least, most] = [waits[made]!, waits[made]! * (1 + JITTER) + 1];
    assert.ok(wait >= Math.max(least, Math.min(asked, LONGEST_WAIT)));
    assert.ok(wait <= Math.max(most, LONGEST_WAIT));
  }));
});

Deno.test("schedule: Retry-After is seconds or a date, and anything else asks for nothing", () => {
  const now = new Date("2026-11-21T10:00:00Z");
  assert.equal(retryAfter("120", now), 120 * SECOND);
  assert.equal(retryAfter("Sat, 21 Nov 2026 10:01:00 GMT", now), 60 * SECOND);
  assert.equal(retryAfter("Sat, 21 Nov 2020 10:01:00 GMT", now), 0);
  for (const text of [undefined, "", "-5", "1e9", "soon", "99999999999999"]) {
    assert.equal(retryAfter(text, now), 0);
  }
  fc.assert(fc.property(fc.string(), (text) => assert.ok(retryAfter(text, now) >= 0)));
});

Deno.test("signatures: the library verifies each of them, and none of another body, id or secret", () => {
  const body = fc.json();
  fc.assert(
    fc.property(body, body, fc.uuid(), (one, other, id) => {
      const [old, fresh] = [newSecret(), newSecret()];
      const headers = signatureHeaders([fresh, old], { id, body: one, now: new Date() });
      for (const secret of [old, fresh]) {
        assert.deepEqual(new Verifier(secret).verify(one, headers), JSON.parse(one));
      }
      const wrong = { ...headers, "webhook-id": `${id}x` };
      assert.throws(() => new Verifier(fresh).verify(one, wrong));
      assert.throws(() => new Verifier(newSecret()).verify(one, headers));
      if (one !== other) assert.throws(() => new Verifier(fresh).verify(other, headers));
    }),
    { numRuns: 50 },
  );
});
