// Short messages: how long they stay, and how many.
import assert from "node:assert/strict";
import { mock } from "node:test";
import {
  dismiss,
  holdToasts,
  releaseToasts,
  toast,
  toasts,
} from "../../../console/state/toasts.ts";

const shown = () => toasts.value.map(({ text }) => text);

/** Runs with a clock that is moved by hand. */
function withClock(run: (pass: (milliseconds: number) => void) => void): void {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    run((milliseconds) => mock.timers.tick(milliseconds));
  } finally {
    for (const { id } of toasts.value) dismiss(id);
    mock.timers.reset();
  }
}

Deno.test("toasts: they go by themselves, later with something to press; failures stay", () => {
  withClock((pass) => {
    toast({ text: "saved" });
    toast({ text: "deleted", action: { label: "Undo", run: () => {} } });
    const close = toast({ text: "failed", kind: "error" });
    assert.deepEqual(shown(), ["saved", "deleted", "failed"]);
    pass(6000);
    assert.deepEqual(shown(), ["deleted", "failed"]);
    pass(6000);
    assert.deepEqual(shown(), ["failed"]);
    pass(600_000);
    assert.deepEqual(shown(), ["failed"]);
    close();
    assert.deepEqual(shown(), []);
  });
});

Deno.test("toasts: while one is read, none goes", () => {
  withClock((pass) => {
    toast({ text: "saved" });
    pass(5000);
    holdToasts();
    pass(60_000);
    assert.deepEqual(shown(), ["saved"]);
    releaseToasts();
    pass(5999);
    assert.deepEqual(shown(), ["saved"]);
    pass(1);
    assert.deepEqual(shown(), []);
  });
});

Deno.test("toasts: four at most, the oldest goes first", () => {
  withClock((pass) => {
    for (const text of ["1", "2", "3", "4", "5", "6"]) toast({ text });
    assert.deepEqual(shown(), ["3", "4", "5", "6"]);
    pass(6000);
    assert.deepEqual(shown(), []);
  });
});
