// Moments and time zones as requests write them.
import assert from "node:assert/strict";
import {
  localMoment,
  localMomentOrEndOfDay,
  moment,
  momentOrEndOfDay,
  timeZone,
} from "../../models/requests.ts";

Deno.test("time zones are IANA names in any case", () => {
  for (const [name, zone] of [["europe/berlin", "Europe/Berlin"], ["utc", "UTC"]] as const) {
    assert.equal(timeZone.parse(name), zone);
  }
  // Replaced names, and those that replaced them: both are good.
  for (const name of ["Asia/Kolkata", "Asia/Calcutta", "Europe/Kyiv"]) {
    assert.equal(timeZone.parse(name), name);
  }
  const none = ["", "Mars/Olympus", "+02:00", "UTC+2", "Europe/Berlin\0", "../etc/passwd", "local"];
  for (const name of none) {
    assert.match(timeZone.safeParse(name).error!.issues[0]!.message, /IANA time zone/, name);
  }
});

Deno.test("a moment without a zone stays as it is written, one with a zone is kept in UTC", () => {
  const cases = [
    ["2026-11-21", "2026-11-21T00:00:00"],
    ["2026-11-21T09:00:00", "2026-11-21T09:00:00"],
    ["2026-11-21T09:00:00.5", "2026-11-21T09:00:00.5"],
    ["2026-11-21T09:00:00Z", "2026-11-21T09:00:00.000Z"],
    ["2026-11-21T09:00:00+05:30", "2026-11-21T03:30:00.000Z"],
  ] as const;
  for (const [text, moment] of cases) assert.equal(localMoment.parse(text), moment);
  assert.equal(localMomentOrEndOfDay.parse("2026-11-21"), "2026-11-21T23:59:59.999");
  for (const text of ["", "soon", "2026-02-30", "2026-11-21 09:00", "9999-12-31T23:59:59-14:00"]) {
    assert.ok(!localMoment.safeParse(text).success, text);
  }
});

Deno.test("a moment is within the years that every engine keeps: 0001 to 9999", () => {
  const outside = [
    "0000-01-01",
    "0000-12-31T23:59:59",
    "0000-01-01T00:00:00Z",
    "0001-01-01T00:00:00+01:00",
    "9999-12-31T23:59:59-14:00",
  ];
  const inside = ["0001-01-01", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z"];
  for (const schema of [moment, momentOrEndOfDay, localMoment, localMomentOrEndOfDay]) {
    for (const text of outside) {
      const messages = schema.safeParse(text).error?.issues.map(({ message }) => message);
      assert.deepEqual(messages, ["must be within the years 0001 to 9999"], text);
    }
    for (const text of inside) assert.ok(schema.safeParse(text).success, text);
  }
});
