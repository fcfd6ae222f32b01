// Where notifications lead: to pages of the console that one may open, and nowhere else.
import assert from "node:assert/strict";
import { pageOf } from "../../console/pages/notifications/link.ts";
import { place } from "../../console/state/place.ts";
import { user } from "../../console/state/session.ts";

// What the server says of itself; there is no page here that says it.
Object.assign(place, { modules: ["messages", "calendar", "users"] });
user.value = { permissions: ["calendar:view"] } as never;

const LINKS: [link: string | undefined, page: string | undefined][] = [
  ["/messages/m1", "/messages/m1"],
  ["/messages/m1?from=mail", "/messages/m1?from=mail"],
  ["/messages/m1/parts/2", "/messages/m1"],
  ["/calendar/e1", "/calendar?event=e1"],
  ["/users", undefined], // they may not see them
  ["/elsewhere/1", undefined],
  ["//evil.example/messages", undefined],
  ["https://evil.example", undefined],
  ["javascript:alert(1)", undefined],
  [undefined, undefined],
];

for (const [link, page] of LINKS) {
  Deno.test(`a notification's link ${link}: ${page ?? "nowhere"}`, () => {
    assert.equal(pageOf(link), page);
  });
}
