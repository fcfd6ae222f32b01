// Windows: counted, ended, never evicted while in force, bounded.
import assert from "node:assert/strict";
import { Windows } from "../../../services/accounts/windows.ts";
import { TestClock } from "../../harness.ts";

function windowsWithClock(max?: number) {
  const clock = new TestClock();
  const options = { name: "test", length: 1000, elapsed: clock.elapsed };
  return { clock, windows: new Windows(max === undefined ? options : { ...options, max }) };
}

Deno.test("windows: hits count until the end that the first one set", () => {
  const { clock, windows } = windowsWithClock();
  windows.add("a");
  clock.advance(400);
  windows.add("a");
  assert.deepEqual([windows.count("a"), windows.remaining("a")], [2, 600]);
  clock.advance(600);
  assert.deepEqual([windows.count("a"), windows.remaining("a")], [0, 0]);
  windows.add("a");
  assert.deepEqual([windows.count("a"), windows.remaining("a")], [1, 1000]);
});

Deno.test("windows: hits are taken back, and none becomes less than none", () => {
  const { windows } = windowsWithClock();
  windows.add("a");
  windows.add("a");
  windows.subtract("a", 1);
  assert.equal(windows.count("a"), 1);
  windows.subtract("a", 5);
  windows.subtract("b", 5);
  assert.deepEqual([windows.count("a"), windows.count("b"), windows.size], [0, 0, 0]);
});

Deno.test("windows: a full table keeps what is in force, and takes new ones when old ones end", () => {
  const { clock, windows } = windowsWithClock(100);
  for (let i = 0; i < 50; i++) windows.add(`early ${i}`);
  clock.advance(500);
  for (let i = 0; i < 200; i++) windows.add(`late ${i}`);
  assert.equal(windows.size, 100);
  for (let i = 0; i < 50; i++) assert.equal(windows.count(`early ${i}`), 1);
  assert.equal(windows.count("late 60"), 0);
  windows.add("early 0");
  assert.equal(windows.count("early 0"), 2, "those in force go on counting");
  clock.advance(500);
  windows.add("late 60");
  assert.equal(windows.count("late 60"), 1);
  assert.equal(windows.size, 51, "what ended is gone");
});
