// What the server tells in English alone: the console has it in each of its other languages, and nothing more of it.
import assert from "node:assert/strict";
import { PERMISSION_CATALOGUE, ROLE_LABELS } from "../../config/built_in.ts";
import { reportSettings } from "../../config/report.ts";
import { parseSettings } from "../../config/settings.ts";
import { variants } from "../../config/variants.ts";
import { texts as auditTexts } from "../../console/pages/audit/texts.ts";
import { roleDescription } from "../../console/pages/roles/description.ts";
import { meaningOf, MEANINGS } from "../../console/pages/settings/meanings.ts";
import type { Language } from "../../console/state/language.ts";
import { actionName, permissionName, resourceName } from "../../console/state/permission_names.ts";
import { preferences } from "../../console/state/preferences.ts";
import { roleLabel } from "../../console/state/roles.ts";
import { deviceWords, placeWords } from "../../console/state/session_words.ts";

const HAN = /\p{Script=Han}/u;

function speak(language: Language): void {
  preferences.value = { language };
}

/** Every setting that some variant has. */
function settingsOfAll() {
  const secret = "0123456789abcdef0123456789abcdef";
  return ["compact", "full", "web", "snippets"].flatMap((name) => {
    const { secret: own, refreshSecret } = variants[name]!;
    const env = {
      VARIANT: name,
      [own]: secret,
      ...refreshSecret && { [refreshSecret]: `${secret}r` },
    };
    return reportSettings(env, parseSettings(env), () => "environment");
  }).map((one) => ({ ...one, aliases: [...one.aliases] }));
}

/** The catalogue as a store has it. */
const catalogue = Object.entries(PERMISSION_CATALOGUE).flatMap(([resource, actions]) =>
  ["*", ...actions].map((action) => ({ name: `${resource}:${action}`, resource, action }))
);

Deno.test("settings: each has its meaning in Chinese, under whichever name it is given", () => {
  const settings = settingsOfAll();
  speak("zh");
  const untold = settings.filter((one) => !HAN.test(meaningOf(one))).map(({ name }) => name);
  assert.deepEqual(untold, []);
  const aliased = settings.find(({ aliases }) => aliases.length > 0)!;
  const { name, aliases: [alias = ""] } = aliased;
  assert.equal(meaningOf({ ...aliased, name: alias, aliases: [name] }), meaningOf(aliased));
});

Deno.test("settings: there is no meaning of one that no server has", () => {
  const names = new Set(settingsOfAll().map(({ name }) => name));
  assert.deepEqual(Object.keys(MEANINGS.zh).filter((name) => !names.has(name)), []);
});

Deno.test("settings: in English, and where the console does not know one, the server's words stand", () => {
  const unknown = { name: "NEW_ONE", aliases: [], meaning: "What is new" };
  speak("zh");
  assert.equal(meaningOf(unknown), "What is new");
  speak("en");
  for (const one of settingsOfAll()) assert.equal(meaningOf(one), one.meaning);
});

Deno.test("roles: the built-in ones have name and description in Chinese until somebody changes them", () => {
  for (const [name, [label, description]] of Object.entries(ROLE_LABELS)) {
    speak("zh");
    assert.match(roleLabel(name, label), HAN, name);
    assert.match(roleDescription({ name, description }) ?? "", HAN, name);
    assert.equal(roleLabel(name, "Ours"), "Ours");
    assert.equal(roleDescription({ name, description: "Ours" }), "Ours");
    assert.equal(roleDescription({ name }), undefined);
    speak("en");
    assert.equal(roleLabel(name, label), label);
    assert.equal(roleDescription({ name, description }), description);
  }
});

Deno.test("permissions: those of the catalogue are named in both languages", () => {
  for (const language of ["zh", "en"] as const) {
    speak(language);
    for (const { name, resource, action } of catalogue) {
      assert.notEqual(resourceName(resource), resource, `the resource of ${name}`);
      assert.notEqual(actionName(action), action, `the action of ${name}`);
      assert.equal(HAN.test(permissionName(name)), language === "zh", name);
    }
    assert.equal(HAN.test(permissionName("*")), language === "zh");
  }
});

/** As tests/services/accounts/devices_test.ts holds the server to them. */
const PLACES = [
  ["the server's own machine", "127.0.0.1", "the server's own machine · 127.0.0.1"],
  ["a private network (10.1.2.3)", "10.1.2.3", "a private network · 10.1.2.3"],
  ["the Internet (203.0.113.9)", "203.0.113.9", "the Internet · 203.0.113.9"],
] as const;

Deno.test("sessions: place and device are told in both languages, the address once", () => {
  for (const [place, ip, words] of PLACES) {
    speak("zh");
    assert.match(placeWords({ place, ip }), HAN);
    speak("en");
    assert.equal(placeWords({ place, ip }), words);
  }
  assert.equal(placeWords({ place: "a ship" }), "a ship");
  assert.equal(placeWords({}), "");
  const device = "Firefox on Windows";
  assert.equal(deviceWords({ device }), device);
  speak("zh");
  assert.equal(deviceWords({ device }), "Windows 上的 Firefox");
  assert.equal(deviceWords({ device: "curl" }), "curl");
  assert.equal(deviceWords({}), undefined);
});

Deno.test("audit log: what is done has a word, and no filter is for what is never done", async () => {
  // Read, not imported: the route's types are those of the server.
  const route = await Deno.readTextFile(
    new URL("../../routes/operations/audit.ts", import.meta.url),
  );
  const [, done = ""] = /`action` \(([a-zA-Z, ]+)\)/.exec(route)!;
  assert.deepEqual(Object.keys(auditTexts().actions).toSorted(), done.split(", ").toSorted());
});
