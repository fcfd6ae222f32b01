// Queries that were read before: another page of the same list is read as if nothing had been remembered.
import assert from "node:assert/strict";
import type { Context } from "hono";
import fc from "fast-check";
import { pageApart } from "../../http/known_queries.ts";
import { type Validator, validatorOf } from "../../http/validate.ts";
import { documentRoutes } from "../../routes/content/documents.ts";

const list = documentRoutes.find(({ operationId }) => operationId === "listDocuments")!;

const parts = fc.constantFrom(
  "page=1",
  "page=2",
  "page=30",
  "page=007",
  "page=0",
  "page=",
  "page=x",
  "page=1234567890",
  "p%61ge=2",
  "page",
  "_page=2",
  "per_page=3",
  "_start=10&_end=20",
  "range=[0,9]",
  "limit=5",
  "sort=title",
  "type=pdf",
  "type=PDF&type=all",
  "search=page=2",
  "cursor=abc",
  "envelope=false",
  "",
);
const query = fc.array(parts, { maxLength: 4 }).map((all) =>
  all.length > 0 ? `?${all.join("&")}` : ""
);

function outcomeOf(validator: Validator, text: string): unknown {
  const context = { req: { url: `http://localhost/api/documents${text}` } } as unknown as Context;
  try {
    return validator(context, undefined).query;
  } catch (error) {
    return (error as { details: unknown }).details;
  }
}

Deno.test("known queries: whatever was asked before, a query is read as the first time", () => {
  fc.assert(
    fc.property(fc.array(query, { minLength: 2, maxLength: 12 }), (texts) => {
      const validator = validatorOf(list)!;
      for (const text of texts) {
        assert.deepEqual(outcomeOf(validator, text), outcomeOf(validatorOf(list)!, text), text);
      }
    }),
    { numRuns: 300 },
  );
});

Deno.test("known queries: the conditions of two pages of one list are one object that nobody can change", () => {
  const validator = validatorOf(list)!;
  const [, second, third] = [1, 2, 3].map((page) =>
    outcomeOf(validator, `?type=pdf&page=${page}&limit=5`) as { page: number; where: object }
  );
  assert.deepEqual([second!.page, third!.page], [2, 3]);
  assert.equal(second!.where, third!.where);
  assert.throws(() => Object.assign(second!.where, { ownerId: "somebody" }), TypeError);
});

Deno.test("known queries: a page is taken out of a query only where it is plainly written once", () => {
  const apart: [query: string, page: number | null, rest: string][] = [
    ["", null, ""],
    ["?page=3", 3, "?"],
    ["?page=3&limit=5", 3, "?limit=5"],
    ["?limit=5&page=3", 3, "?limit=5&"],
    ["?limit=5&page=3&sort=name", 3, "?limit=5&sort=name"],
    ["?page=0", null, "?page=0"],
    ["?page=3x", null, "?page=3x"],
    ["?page=3&page=4", null, "?page=3&page=4"],
    ["?page=3&page", null, "?page=3&page"],
    ["?page&page=3", null, "?page&page=3"],
    ["?page=3&p%61ge=4", null, "?page=3&p%61ge=4"],
    ["?page=3&search=50%25", 3, "?search=50%25"],
    ["?per_page=3", null, "?per_page=3"],
    ["?search=a?page=3", null, "?search=a?page=3"],
  ];
  for (const [query, page, rest] of apart) {
    assert.deepEqual(pageApart(query), { page, rest }, query);
  }
});
