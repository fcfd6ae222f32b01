// An array that is lent and given back.
import assert from "node:assert/strict";
import { Scratch } from "../../../storage/memory/scratch.ts";

Deno.test("an array is lent to one at a time, and again when it was given back", () => {
  const scratch = new Scratch();
  const one = scratch.take(100), other = scratch.take(100);
  assert.notEqual(one.buffer, other.buffer);
  scratch.giveBack(one);
  const again = scratch.take(80);
  assert.equal(again.buffer, one.buffer);
  assert.equal(again.length, 80);
  scratch.giveBack(again);
  assert.equal(scratch.take(110).buffer, one.buffer, "a list that has grown a little finds room");
});

Deno.test("an array that is too short is made anew", () => {
  const scratch = new Scratch();
  const short = scratch.take(100);
  scratch.giveBack(short);
  const long = scratch.take(1000);
  assert.notEqual(long.buffer, short.buffer);
  assert.equal(long.length, 1000);
});
