// The locale that the console writes numbers and dates by.
import assert from "node:assert/strict";
import { firstWeekday } from "../../../console/state/calendar_days.ts";
import { type Language, localeFor } from "../../../console/state/language.ts";

Deno.test("locale: that of the browser where the console speaks it, else its language as written there", () => {
  const cases: [language: Language, languages: string[], locale: string][] = [
    ["en", ["en-GB", "en"], "en-GB"],
    ["zh", ["zh-TW", "en"], "zh-TW"],
    ["en", ["de-DE", "de", "en-US", "en"], "en-DE"],
    ["en", ["fr"], "en-FR"],
    ["zh", ["en-GB"], "zh-GB"],
    ["en", ["eo"], "en-001"],
    ["en", ["c@posix"], "en"],
    ["en", [], "en"],
  ];
  for (const [language, languages, expected] of cases) {
    assert.equal(localeFor(language, languages), expected, languages.join());
  }
  const at = new Date("2026-11-30T14:05:00Z");
  const format = { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" } as const;
  assert.equal(new Intl.DateTimeFormat("en-DE", format).format(at), "30 Nov 2026, 14:05");
  assert.equal(firstWeekday("en-DE"), 1);
});
