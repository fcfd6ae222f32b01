// The first administrator: made once, and in production with no password that is guessed first.
import assert from "node:assert/strict";
import { SettingsError } from "../../../config/environment.ts";
import { parseSettings } from "../../../config/settings.ts";
import { users } from "../../../models/users.ts";
import { createFirstAdmin } from "../../../services/accounts/first_start.ts";
import { verifyPassword } from "../../../services/accounts/passwords.ts";
import { openTestStore } from "../../storage/open.ts";

function adminOf(env: Record<string, string>) {
  return parseSettings({ JWT_SECRET: "a secret that is long enough for tests", ...env }).admin;
}

for (const password of ["123456", "password1", "Password1", "seven77", "iloveyou"]) {
  Deno.test(`first start: ADMIN_PASSWORD=${password} is refused in production, and only there`, async () => {
    const store = await openTestStore();
    try {
      const strict = adminOf({ ADMIN_PASSWORD: password, DENO_ENV: "production" });
      await assert.rejects(createFirstAdmin(store, strict), (error: Error) => {
        assert.ok(error instanceof SettingsError);
        assert.match(
          error.message,
          /^Cannot start: ADMIN_PASSWORD: it must .* in production\. .*Example/,
        );
        assert.equal(error.message.includes(password), false, "the password is not told");
        return true;
      });
      assert.equal(await store.from(users).count(), 0);
      assert.ok(await createFirstAdmin(store, adminOf({ ADMIN_PASSWORD: password })));
      assert.equal(await createFirstAdmin(store, strict), null, "later starts do not need it");
    } finally {
      await store.close();
    }
  });
}

Deno.test("first start: in production a good password is taken, and one is generated where none is given", async () => {
  for (const ADMIN_PASSWORD of ["a quiet harbour", ""]) {
    const store = await openTestStore();
    const made = await createFirstAdmin(store, adminOf({ ADMIN_PASSWORD, DENO_ENV: "production" }));
    assert.equal(made?.generatedPassword === null, ADMIN_PASSWORD !== "");
    const admin = await store.from(users).findBy("email", "admin@example.com");
    const password = made!.generatedPassword ?? ADMIN_PASSWORD;
    assert.ok(await verifyPassword(password, admin?.passwordHash));
    await store.close();
  }
});
