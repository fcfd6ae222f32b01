// Redirects lead to paths of this server only.
import assert from "node:assert/strict";
import fc from "fast-check";
import { localPath, loginPath } from "../../../services/accounts/redirects.ts";

const kept = [
  "/",
  "/dashboard",
  "/users?search=a%20b&page=2",
  "/a/b#c",
  "/%2f%2fhost",
  "/a//b",
  "/@x",
];
for (const path of kept) {
  Deno.test(`redirects: ${path} is kept`, () => assert.equal(localPath(path), path));
}

const refused = [
  "",
  "dashboard",
  "//host",
  "///host",
  "/\\host",
  "\\/host",
  "/\t/host",
  "/\n/host",
  "\t//host",
  " /dashboard",
  "/dash board",
  "/a\u0000b",
  "/a\u00a0b",
  "/a\u2028b",
  "/.//host",
  "/x/..//host",
  "/%2e//host",
  "https://host/",
  "https:host",
  "javascript:alert(1)",
  "data:text/html,x",
  "/\ud800",
  "/" + "a".repeat(2000),
];
for (const text of refused) {
  Deno.test(`redirects: ${JSON.stringify(text).slice(0, 40)} is refused`, () => {
    assert.equal(localPath(text), null);
  });
}

const ORIGIN = "https://admin.example.com";
/** Texts made of what attackers use. */
const crafted = fc.array(
  fc.constantFrom(
    "/",
    "\\",
    ".",
    "..",
    ":",
    "@",
    "//",
    "%2f",
    "%5c",
    "\t",
    "\n",
    " ",
    "host",
    "http",
  ),
  { maxLength: 8 },
).map((parts) => parts.join(""));

Deno.test("redirects: whatever is kept stays on the origin, resolved once or twice", () => {
  fc.assert(
    fc.property(fc.oneof(crafted, crafted.map((text) => `/${text}`), fc.string()), (text) => {
      const path = localPath(text);
      if (path === null) return;
      const url = new URL(path, `${ORIGIN}/login`);
      assert.equal(url.origin, ORIGIN);
      assert.equal(new URL(url.pathname, ORIGIN).origin, ORIGIN);
    }),
    { numRuns: 5000 },
  );
});

Deno.test("redirects: every ordinary path leads back through the login page", () => {
  const segment = fc.stringMatching(/^[\w\-.~!$&'()*+,;=:@%]{1,10}$/);
  const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) =>
    `/${parts.join("/")}`
  );
  fc.assert(fc.property(path, (back) => {
    const asked = new URL(loginPath(back), ORIGIN).searchParams.get("redirect");
    assert.equal(localPath(asked), back);
  }));
});
