// What conditions mean is remembered where they cannot change, and only there.
import assert from "node:assert/strict";
import { documents } from "../../models/documents.ts";
import { users } from "../../models/users.ts";
import { bothOf, parseSort, parseWhere } from "../../storage/query.ts";
import { InvalidQuery, type Where } from "../../storage/port.ts";
import type { Document } from "../../models/documents.ts";

Deno.test("query: conditions that are frozen are read once for each collection, others each time", () => {
  const frozen = Object.freeze({ status: "active" as const });
  assert.equal(parseWhere(users, frozen), parseWhere(users, frozen));
  assert.throws(() => parseWhere(documents, frozen as Where<Document>), InvalidQuery);
  const changing = { name: "Ann" };
  const before = parseWhere(users, changing);
  changing.name = "Bea";
  assert.deepEqual(before.all, [{ kind: "in", field: "name", values: ["Ann"] }]);
  assert.deepEqual(parseWhere(users, changing).all, [{
    kind: "in",
    field: "name",
    values: ["Bea"],
  }]);
});

Deno.test("query: two conditions are one object for each pair of frozen ones, and hold both", () => {
  const pdf: Where<Document> = Object.freeze({ type: "pdf" });
  const [ann, bea]: Where<Document>[] = ["ann", "bea"].map((ownerId) => Object.freeze({ ownerId }));
  assert.equal(bothOf(pdf, ann!), bothOf(pdf, ann!));
  assert.notEqual(bothOf(pdf, ann!), bothOf(pdf, bea!));
  assert.notEqual(bothOf(pdf, { ownerId: "ann" }), bothOf(pdf, { ownerId: "ann" }));
  for (const other of [ann!, bea!, { ownerId: "cleo" }]) {
    assert.deepEqual(
      parseWhere(documents, bothOf(pdf, other)),
      parseWhere(documents, { all: [{ type: "pdf" }, { ...other }] }),
    );
  }
});

Deno.test("query: a sort is the same object for the same text, and one collection's own", () => {
  assert.equal(parseSort(users, "-name,email"), parseSort(users, "-name,email"));
  assert.notEqual(parseSort(users, "createdAt"), parseSort(users, "-createdAt"));
  assert.throws(() => parseSort(documents, "-name,email"), InvalidQuery);
});
