// One statement's answer within a time: what comes late, what fails, and what is left of it.
import assert from "node:assert/strict";
import type pg from "pg";
import { answerTo, ReadTimeout } from "../../sql/answer.ts";
import { openPermissions } from "../start_task.ts";
import { postgresDatabase } from "./databases.ts";

type Answered = (error: Error | null, answer: unknown) => void;

/** A client that answers when it is told to. */
class FakeClient {
  answered: Answered = () => {};
  asked: unknown;
  destroyed = false;
  readonly connection = { stream: { destroy: () => void (this.destroyed = true) } };

  constructor(readonly pipeline: boolean) {}

  query(asked: unknown, answered: Answered): void {
    this.asked = asked;
    this.answered = answered;
  }
}

function ask(client: FakeClient, within?: number): Promise<unknown> {
  return answerTo(client as unknown as pg.ClientBase, { text: "select 1" }, within);
}

Deno.test("gives the answer, and leaves the connection as it is", async () => {
  const client = new FakeClient(true);
  const answer = ask(client, 60_000);
  client.answered(null, { rows: [1] });
  assert.deepEqual(await answer, { rows: [1] });
  assert.deepEqual(client.asked, { text: "select 1" });
  assert.equal(client.destroyed, false);
});

Deno.test("gives the error of a statement that fails, and leaves the connection as it is", async () => {
  const client = new FakeClient(true);
  const failed = new Error("no such table");
  const answer = ask(client, 60_000);
  client.answered(failed, undefined);
  await assert.rejects(answer, failed);
  assert.equal(client.destroyed, false);
});

for (const pipeline of [true, false]) {
  const what = pipeline ? "closes the connection that others wait on" : "leaves it to its owner";
  Deno.test(`an answer that does not come in time: ${what}`, async () => {
    const client = new FakeClient(pipeline);
    const answer = ask(client, 1);
    await assert.rejects(answer, ReadTimeout);
    assert.equal(client.destroyed, pipeline);
    // Whatever the client still tells is too late.
    client.answered(new Error("Connection terminated unexpectedly"), undefined);
    await assert.rejects(answer, ReadTimeout);
  });
}

Deno.test("waits for as long as it takes where no time is given", async () => {
  const client = new FakeClient(true);
  const answer = ask(client);
  await new Promise((resolve) => setTimeout(resolve, 5));
  client.answered(null, "late");
  assert.equal(await answer, "late");
});

Deno.test("rows that were read are young when they are garbage: no full collection has to find them", async () => {
  const database = await postgresDatabase();
  try {
    const script = new URL("old_objects.ts", import.meta.url).pathname;
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--quiet",
        "--frozen",
        "--v8-flags=--expose-gc",
        ...openPermissions,
        script,
        database.url,
      ],
    }).output();
    const told = new TextDecoder().decode(stdout);
    assert.notEqual(told, "", new TextDecoder().decode(stderr));
    const left: Record<string, number> = JSON.parse(told);
    assert.deepEqual(Object.keys(left), ["read", "transaction"]);
    // Kept until then, they would be 2 to 13 MB.
    for (const [way, bytes] of Object.entries(left)) assert.ok(bytes < 1e6, `${way}: ${bytes}`);
  } finally {
    await database.drop();
  }
});
