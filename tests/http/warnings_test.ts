// Fields of a body that nothing takes: named in the answer, or refused where the client prefers that.
import assert from "node:assert/strict";
import { unknownFields } from "../../http/unknown_fields.ts";
import { z } from "zod";
import { harness } from "../harness.ts";

Deno.test("warnings: unknown fields are named with the nearest that is known, and the rest is done", async () => {
  await using h = await harness();
  const body = { title: "Plan", contnet: "x", id: "mine" };
  const reply = await h.ask("POST", "/api/documents", { as: "admin", body });
  assert.equal(reply.status, 201, reply.text);
  assert.equal(reply.data.title, "Plan");
  assert.deepEqual(reply.body.warnings, [
    {
      field: "contnet",
      message: "is not known here: the nearest known field is content",
      code: "not_known_near_field",
    },
    { field: "id", message: "is not known here", code: "not_known" },
  ]);
});

Deno.test("warnings: who prefers strict handling is refused, and nothing is done", async () => {
  await using h = await harness();
  const body = { title: "Plan", contnet: "x" };
  for (const prefer of ["handling=strict", 'respond-async, handling="strict"; wait=5']) {
    const headers = { prefer };
    const refused = await h.ask("POST", "/api/documents", { as: "admin", body, headers });
    assert.equal(refused.status, 400);
    assert.equal(refused.body.error.details[0].field, "contnet");
  }
  assert.equal((await h.ask("GET", "/api/documents", { as: "admin" })).data.length, 0);
  const whole = { title: "Plan", content: "x" };
  const headers = { prefer: "handling=strict" };
  const done = await h.ask("POST", "/api/documents", { as: "admin", body: whole, headers });
  assert.equal(done.status, 201);
  assert.equal(done.headers.get("preference-applied"), "handling=strict");
  const lenient = { prefer: "handling=lenient" };
  const taken = await h.ask("POST", "/api/documents", { as: "admin", body, headers: lenient });
  assert.equal(taken.status, 201);
  assert.equal(taken.headers.get("preference-applied"), null);
});

Deno.test("warnings: fields are looked for at any depth, and few of many are named", () => {
  const address = z.object({ street: z.string() });
  const schema = z.object({
    people: z.array(z.union([z.string(), z.object({ id: z.string() })])).optional(),
    home: z.preprocess((value) => value, address.nullish()),
    name: z.string().default("x"),
  }).transform((body) => body);
  const fields = (value: unknown) => unknownFields(schema, value).map(({ field }) => field);
  assert.deepEqual(fields({ people: ["a", { id: "b", nmae: "c" }], home: { street: "", no: 1 } }), [
    "people.1.nmae",
    "home.no",
  ]);
  assert.deepEqual(fields({ home: null, name: "y", constructor: 1 }), ["constructor"]);
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`f${n}`, n]));
  assert.equal(fields(many).length, 20);
  assert.equal(fields({ ["x".repeat(9999)]: 1 })[0]!.length, 100);
});
