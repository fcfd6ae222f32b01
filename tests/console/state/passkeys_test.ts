// Bytes of Web Authentication as text, and back.
import assert from "node:assert/strict";
import { bytesOf, isCancelled, textOf } from "../../../console/state/passkeys.ts";

Deno.test("passkeys: bytes are base64url without padding, both ways", () => {
  for (const [text, bytes] of [["", []], ["_w", [255]], ["-_-_", [251, 255, 191]]] as const) {
    assert.deepEqual([...bytesOf(text)], [...bytes]);
    assert.equal(textOf(Uint8Array.from(bytes)), text);
  }
  const many = crypto.getRandomValues(new Uint8Array(1023));
  assert.deepEqual(bytesOf(textOf(many)), many);
  assert.doesNotMatch(textOf(many), /[+/=]/);
});

Deno.test("passkeys: closing the browser's question is no error to tell of", () => {
  assert.equal(isCancelled(new DOMException("closed", "NotAllowedError")), true);
  assert.equal(isCancelled(new DOMException("there is one", "InvalidStateError")), false);
  assert.equal(isCancelled(new Error("other")), false);
});
