// Choosing the events of a webhook: what stands for a group takes the place of what it holds.
import assert from "node:assert/strict";
import { toggled } from "../../console/state/webhook_events.ts";

const cases: [events: string[], toggle: string, result: string[]][] = [
  [[], "users.created", ["users.created"]],
  [["users.created"], "users.created", []],
  [["users.created", "roles.updated"], "users.*", ["roles.updated", "users.*"]],
  [["users.*"], "users.created", ["users.created"]],
  [["users.*", "roles.updated"], "*", ["*"]],
  [["*"], "*", []],
  [["*"], "users.created", ["users.created"]],
];

for (const [events, toggle, result] of cases) {
  Deno.test(`webhook events: ${events.join(" ") || "none"}, then ${toggle}`, () => {
    assert.deepEqual(toggled(events, toggle), result);
  });
}
