// Answers that we break off ourselves, because their reader is too slow or comes again: no defect, and logged as none.
import assert from "node:assert/strict";
import { configure, type LogRecord, resetSync } from "@logtape/logtape";
import { Outflow } from "../../core/outflow.ts";
import { Listener } from "../../http/listener.ts";
import type { Principal } from "../../services/access/access.ts";
import { EventStream } from "../../services/events/stream.ts";
import { until } from "../until.ts";

/** An answer that has begun, and what breaks it off. */
interface Begun {
  readonly body: ReadableStream<Uint8Array>;
  cut(): void;
}

function events(): Begun {
  const principal = { user: { id: "ann" }, session: null } as unknown as Principal;
  const views = { admits: () => true, show: () => Promise.resolve(null) };
  const options = { topics: null, records: false, ip: "127.0.0.1" };
  const stream = new EventStream(principal, options, views, () => {});
  stream.open("0001");
  return { body: stream.body, cut: () => stream.cut("the reader is too slow") };
}

function download(): Begun {
  let now = 0;
  const outflow = new Outflow(1, () => now);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new Uint8Array(10));
      outflow.open((error) => controller.error(error));
    },
  });
  return {
    body,
    cut() {
      now = 1;
      outflow.cutStalled(0);
    },
  };
}

function broken(): Begun {
  let fail = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new Uint8Array(10));
      fail = () => controller.error(new Error("a defect"));
    },
  });
  return { body, cut: () => fail() };
}

/** Serves an answer to a reader, and breaks it off while they read. */
async function breakOff({ body, cut }: Begun): Promise<void> {
  const listener = new Listener({ port: 0, hostname: "127.0.0.1" }, () => new Response(body));
  const answer = await fetch(`http://127.0.0.1:${listener.port}/`);
  const reader = answer.body!.getReader();
  await reader.read();
  cut();
  await assert.rejects(reader.read());
  await listener.close();
}

Deno.test("an answer that is cut because of its reader is no error; one that breaks is", async () => {
  const records: LogRecord[] = [];
  await configure({
    reset: true,
    sinks: { kept: (record) => void records.push(record) },
    loggers: [
      { category: ["logtape", "meta"], lowestLevel: "error", sinks: [] },
      { category: "quarterdeck", lowestLevel: "warning", sinks: ["kept"] },
    ],
  });
  try {
    for (const begun of [events(), download(), broken()]) await breakOff(begun);
    await until(() => records.length > 0, "the line of the answer that broke");
    assert.deepEqual(
      records.map(({ level, properties }) => [level, properties.reason]),
      [["error", "a defect"]],
    );
  } finally {
    resetSync();
  }
});
