// What log lines look like, for people and for programs.
import assert from "node:assert/strict";
import type { LogRecord } from "@logtape/logtape";
import { jsonLines, readableLines } from "../../core/log.ts";

function record(message: readonly unknown[], properties: Record<string, unknown> = {}): LogRecord {
  return {
    category: ["quarterdeck", "http"],
    level: "info",
    timestamp: Date.UTC(2026, 10, 21, 9, 30),
    message,
    rawMessage: "",
    properties,
  };
}

const answered = record(["", "GET", " ", "/api/users", " ", 200, ""], { status: 200 });

Deno.test("log: JSON lines say what happened without escaped quotes, and keep the values", () => {
  const { message, level, logger, properties } = JSON.parse(jsonLines(answered));
  assert.equal(message, "GET /api/users 200");
  assert.deepEqual({ level, logger, properties }, {
    level: "INFO",
    logger: "quarterdeck.http",
    properties: { status: 200 },
  });
});

Deno.test("log: one event is one line, whatever is in it", () => {
  const line = jsonLines(record(["Cannot read ", 'a\nb\u2028"c"', ""]));
  assert.equal(line.trimEnd().split("\n").length, 1);
  assert.equal(JSON.parse(line).message, 'Cannot read a\nb\u2028"c"');
  const readable = readableLines(false)(record(["Cannot read ", "a\nb\x1b[31m", ""]));
  assert.equal(readable.trimEnd().split("\n").length, 1);
  assert.ok(!readable.includes("\x1b"));
});

Deno.test("log: people read a line, and the stack of an error with its cause below it", () => {
  assert.match(readableLines(false)(answered), /^09:30:00\S* .*GET \/api\/users 200\n$/);
  const error = new Error("no", { cause: new Error("disk full") });
  const lines = readableLines(false)(record(["Cannot sweep"], { error }));
  assert.match(lines, /Cannot sweep\n {4}Error: no\n[^]*Caused by\n {4}Error: disk full/);
});
