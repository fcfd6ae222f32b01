// The console's messages: what is being sent stands once in its conversation, whichever of its event and answer is first.
import assert from "node:assert/strict";
import { hasArrived, newestId } from "../../console/pages/messages/arrived.ts";

const said = (id: string, senderId: string, content: string) => ({ id, senderId, content });
const before = [said("m2", "ann", "ok"), said("m1", "bob", "ok")];

Deno.test("messages: what is sent has arrived once a newer one of its writer says the same", () => {
  const sent = { content: "ok", after: newestId(before) };
  assert.equal(sent.after, "m2");
  const cases = [
    [before, false],
    [[said("m3", "bob", "ok"), ...before], false],
    [[said("m3", "ann", "well"), ...before], false],
    [[said("m3", "ann", "ok"), ...before], true],
  ] as const;
  for (const [messages, expected] of cases) {
    assert.equal(hasArrived(sent, messages, "ann"), expected, messages[0].content);
  }
});

Deno.test("messages: what was not sent yet has not arrived, and the first of a conversation has", () => {
  assert.equal(hasArrived({ content: "ok" }, before, "ann"), false);
  assert.equal(newestId([]), "");
  assert.equal(hasArrived({ content: "ok", after: "" }, before, "ann"), true);
});
