// What is wrong with a field, in words that a form can show: over every body that is declared.
import assert from "node:assert/strict";
import { z } from "zod";
import { endpointsOf } from "../../app.ts";
import { variants } from "../../config/variants.ts";
import { parametersIn } from "../../models/list_query.ts";
import { wordsFor } from "../../http/words.ts";
import { harness } from "../harness.ts";

/** Beginnings and turns of the library's own messages: https://github.com/colinhacks/zod, locales/en.ts. */
const RAW =
  /Invalid|expected|received|Too (small|big)|Unrecognized|undefined|NaN|multiple of|to (be|have) [<>]|Required/;

const WRONG: readonly unknown[] = [
  undefined,
  null,
  "",
  "x",
  "x".repeat(3_000),
  0,
  -1,
  1.5,
  NaN,
  1e300,
  true,
  [],
  [1],
  [null, {}],
  Array.from({ length: 2_000 }, () => "x"),
  {},
  { userId: 1 },
];

function assertWords(schema: z.ZodType, value: unknown): number {
  const result = schema.safeParse(value, { error: wordsFor });
  if (result.success) return 0;
  for (const { message, path } of result.error.issues) {
    assert.doesNotMatch(
      message,
      RAW,
      `${path.join(".")} of ${JSON.stringify(value)?.slice(0, 99)}`,
    );
    assert.match(message, /^\S/);
  }
  return result.error.issues.length;
}

/** The object that a schema is, below its refinements. */
function fieldsOf(schema: z.ZodType): string[] {
  return Object.keys((parametersIn(schema) as { shape?: object }).shape ?? {});
}

Deno.test("words: no body or query is answered in the library's words", () => {
  const endpoints = Object.values(variants).flatMap(endpointsOf);
  // Most are declared once for all variants.
  const schemas = new Set(endpoints.flatMap(({ body, query }) => [body ?? [], query ?? []]).flat());
  let seen = 0;
  for (const schema of schemas) {
    for (const value of WRONG) {
      seen += assertWords(schema, value);
      for (const field of fieldsOf(schema)) {
        seen += assertWords(schema, { [field]: value });
        seen += assertWords(schema, { [field]: [value] });
      }
    }
  }
  assert.ok(seen > 1_000, `only ${seen} messages were seen`);
});

Deno.test("words: each kind of problem has its own", () => {
  const word = (schema: z.ZodType, value: unknown) =>
    schema.safeParse(value, { error: wordsFor }).error?.issues[0]?.message;
  assert.equal(word(z.string(), undefined), "is required");
  assert.equal(word(z.enum(["a", "b"]), null), "is required");
  assert.equal(word(z.union([z.string(), z.number()]), undefined), "is required");
  assert.equal(word(z.string(), 1), "must be text");
  assert.equal(word(z.number(), "1"), "must be a number");
  assert.equal(word(z.number(), NaN), "must be a number");
  assert.equal(word(z.int(), 1.5), "must be a whole number");
  assert.equal(word(z.boolean(), "yes"), "must be true or false");
  assert.equal(word(z.array(z.string()), "a"), "must be a list");
  assert.equal(word(z.object({}), "a"), "must be an object");
  assert.equal(word(z.string().min(2), "a"), "must have at least 2 characters");
  assert.equal(word(z.string().min(1), ""), "must not be empty");
  assert.equal(word(z.string().max(1), "ab"), "must have at most 1 character");
  assert.equal(word(z.array(z.string()).max(2), ["", "", ""]), "must have at most 2 entries");
  assert.equal(word(z.number().min(3), 1), "must be at least 3");
  assert.equal(word(z.number().lt(3), 3), "must be less than 3");
  assert.equal(word(z.enum(["a", "b"]), "c"), "must be one of a, b");
  assert.equal(word(z.literal("a"), "c"), "must be a");
  assert.equal(word(z.email(), "c"), "must be a valid e-mail address");
  assert.equal(word(z.string().regex(/a/), "c"), "does not have the right form");
  assert.equal(word(z.string().refine(() => false), "c"), "is not valid");
  assert.equal(word(z.string().min(2, "is short"), "a"), "is short");
});

Deno.test("words: a form is told what each field needs", async () => {
  await using h = await harness();
  const reply = await h.ask("POST", "/api/auth/register", { body: { name: "A", email: 1 } });
  assert.equal(reply.status, 400);
  assert.deepEqual(reply.body.error.details, [
    { field: "name", message: "must have at least 2 characters", code: "too_short" },
    { field: "email", message: "must be text", code: "not_text" },
    { field: "password", message: "is required", code: "required" },
  ]);
  assert.equal(
    reply.body.message,
    "Cannot accept the request: name: must have at least 2 characters",
  );
});

Deno.test("words: null is not told to be required where the field may be left out", async () => {
  await using h = await harness();
  const post = async (path: string, body: unknown, headers = {}) =>
    (await h.ask("POST", path, { as: "admin", body, headers })).body.error.details;
  const said = "must not be null: leave it out, or give a value";
  const start = "2027-01-04T09:00:00Z";
  assert.deepEqual(await post("/api/calendar/events", { title: "x", start, end: null }), [
    { field: "end", message: said, code: "null_given" },
  ]);
  assert.deepEqual(await post("/api/documents", { title: null, tags: [null], type: null }), [
    { field: "title", message: "is required", code: "required" },
    { field: "type", message: said, code: "null_given" },
    { field: "tags.0", message: "must be a name", code: "not_name" },
  ]);
  assert.deepEqual(await post("/api/batch", { operations: [{ method: "GET", path: null }] }), [
    { field: "operations.0.path", message: "is required", code: "required" },
  ]);
  const { body } = await h.ask("PATCH", "/api/users/me", {
    as: "admin",
    body: { name: null },
    headers: { "accept-language": "zh" },
  });
  assert.equal(body.message, "无法接受请求：name：不能为 null：请省略该字段，或给出值");
});

Deno.test("words: what is said of a field names it in the message too", async () => {
  await using h = await harness({ variant: "full" });
  const create = async (language: string) => {
    const headers = { "accept-language": language };
    const body = { name: "x", parentId: "none" };
    return (await h.ask("POST", "/api/folders", { as: "admin", body, headers })).body;
  };
  const { message, error } = await create("en");
  assert.equal(message, "Cannot accept the request: parentId: there is no folder 'none'");
  assert.deepEqual(error.details, [
    { field: "parentId", message: "there is no folder 'none'", code: "no_such_folder" },
  ]);
  assert.equal((await create("zh")).message, "无法接受请求：parentId：没有文件夹“none”");
});
