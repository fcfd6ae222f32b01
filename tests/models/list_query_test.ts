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
        const between = /^(must be the only search: )?give one of /;
        if (issues?.some(({ message }) => between.test(message))) return;
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

Deno.test("list queries: names of one parameter that say something else each are refused", () => {
  const ask = (given: Record<string, string>) =>
    parseParameters(userListQuery, given, () => "").issues?.map(({ path, message }) =>
      `${path}: ${message}`
    );
  const refused: [Record<string, string>, string][] = [
    [{ search: "a", q: "b" }, "q: must be the only search: give one of search, q"],
    [{ q: "a", keyword: "b" }, "keyword: must be the only search: give one of q, keyword"],
    [
      { search: "a", name_like: "b" },
      "name_like: must be the only search: give one of search, name_like",
    ],
    [
      { email_like: "a", name_like: "b" },
      "email_like: must be the only search: give one of name_like, email_like",
    ],
    [{ limit: "5", pageSize: "6" }, "pageSize: give one of limit, pageSize"],
  ];
  for (const [given, problem] of refused) assert.deepEqual(ask(given), [problem]);
  const accepted: Record<string, string>[] = [
    { search: "a", q: "a", keyword: "a", name_like: "a" },
    { limit: "5", pageSize: "05" },
    { search: "", q: "b" },
    { limit: "", pageSize: "6" },
    { search: "", name_like: "b" },
  ];
  for (const given of accepted) assert.equal(ask(given), undefined, JSON.stringify(given));
});

Deno.test("list queries: a default holds where nothing is given", () => {
  const { data } = parseParameters(upcomingQuery, {}, () => "");
  assert.deepEqual(data, { where: {}, days: 7 });
});
