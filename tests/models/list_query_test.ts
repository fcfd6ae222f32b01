// List queries: reading what is given alone is the same as reading all that is declared.
import assert from "node:assert/strict";
import fc from "fast-check";
import { endpointsOf } from "../../app.ts";
import { variants } from "../../config/variants.ts";
import { upcomingQuery } from "../../models/calendar.ts";
import { fileListQuery } from "../../models/files.ts";
import { parametersIn, parseParameters } from "../../models/list_query.ts";
import { messageListQuery } from "../../models/messages.ts";
import { userListQuery } from "../../models/users.ts";

const VALUES = ["", "all", "1", "0", "x", "true", "2026-11-21", "ACTIVE", "inbox", "a\0b", "root"];

Deno.test("list queries: what is given alone decides", () => {
  for (const query of [userListQuery, fileListQuery, messageListQuery, upcomingQuery]) {
    const names = [...Object.keys(parametersIn(query).shape), "unknown", "toString"];
    const value = fc.constantFrom(...VALUES);
    const given = fc.dictionary(
      fc.constantFrom(...names),
      fc.oneof(value, fc.array(value, { minLength: 2, maxLength: 3 })),
      { maxKeys: 4 },
    );
    const error = ({ code }: { code?: string }) => `words for ${code}`;
    fc.assert(
      fc.property(given, (given) => {
        const { data, issues } = parseParameters(query, given, error);
        // What stands between several parameters is beside the schema of each.
        if (issues?.some(({ message }) => message.startsWith("must be the only search"))) return;
        const result = query.safeParse(given, { error });
        if (result.success) return assert.deepEqual(data, result.data);
        const told = (all: readonly { path: PropertyKey[]; message: string }[]) =>
          all.map(({ path, message }) => `${String(path[0])}: ${message}`).sort();
        assert.deepEqual(told(issues as never), told(result.error.issues));
      }),
      { numRuns: 300 },
    );
  }
});

Deno.test("list queries: parameters of one kind share their schema, in one query and between queries", () => {
  const endpoints = Object.values(variants).flatMap(endpointsOf);
  const queries = new Set(endpoints.flatMap(({ query }) => query ?? []));
  const parameters = [...queries].flatMap((query) => Object.values(parametersIn(query).shape));
  assert.ok(parameters.length > 1000, String(parameters.length));
  const kinds = new Set(parameters).size;
  assert.ok(kinds < parameters.length / 10, `${kinds} of ${parameters.length}`);
});

Deno.test("list queries: one search at a time where json-server's way to search is one of them", () => {
  const ask = (given: Record<string, string>) => parseParameters(userListQuery, given, () => "");
  assert.match(
    ask({ search: "a", name_like: "b" }).issues![0]!.message,
    /^must be the only search/,
  );
  assert.match(ask({ email_like: "a", name_like: "b" }).issues![0]!.message, /^must be the only/);
  assert.equal(ask({ name_like: "b", search: "" }).issues, null);
});

Deno.test("list queries: a default holds where nothing is given", () => {
  const { data } = parseParameters(upcomingQuery, {}, () => "");
  assert.deepEqual(data, { where: {}, days: 7 });
});
