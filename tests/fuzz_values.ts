// Requests for fuzzing: bodies, queries and ids, first as an endpoint declares them, then with parts replaced by what nobody expects.
import fc, { type Arbitrary } from "fast-check";
import type { z } from "zod";

/** Ids of records there are, by collection. */
export type Ids = Readonly<Record<string, readonly string[]>>;

/** Values of a field, given what is there to refer to. */
type Make<T = unknown> = (ids: Ids) => Arbitrary<T>;

/** What ids of this name refer to. */
const REFERRED: Readonly<Record<string, string>> = {
  attendees: "users",
  attendeeIds: "users",
  participantIds: "users",
  recipientId: "users",
  assigneeId: "users",
  ownerId: "users",
  parentId: "folders",
  ids: "files",
};

/** Mostly ids of what the name refers to, else of anything. */
function idsFor(name: string, ids: Ids): Arbitrary<string> {
  const kind = REFERRED[name] ?? name.replace(/Ids?$/, "s");
  const fitting = ids[kind] ?? [];
  const any = fc.constantFrom("nothing", ...Object.values(ids).flat());
  if (fitting.length === 0) return any;
  return fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...fitting) },
    { weight: 1, arbitrary: any },
  );
}

const DATES = [
  "2026-11-22T09:00:00Z",
  "2026-11-21",
  "0000-01-01T00:00:00Z",
  "0001-01-01",
  "9999-12-31T23:59:59.999Z",
  "9999-12-31T23:59:59-14:00",
  "2026-02-30",
  "+275760-09-13T00:00:00.000Z",
  "-000001-01-01T00:00:00Z",
  "2026-11-22T09:00:00.123456789+05:30",
];
const TEXTS = [
  "",
  " ",
  "all",
  "root",
  "/",
  "..",
  "../../etc/passwd",
  "a fine password",
  "*",
  "users:view",
  "Zoë 👩‍👩‍👧 ﷽ ẞ İ",
  "\u202eevil\u2066",
  "e\u0301\u0301\u0301",
  "\u{10ffff}",
  "\uffff\ufffe",
  "%00%2f%_\\",
  "'; drop table users; --",
  '"<script>alert(1)</script>',
  "a\r\nset-cookie: b=c",
  "x".repeat(129),
  "é".repeat(251),
  "𝒳".repeat(3000),
  "null",
  "NaN",
  "1e999",
  "-1",
  "99999999999999999999",
];
const NUMBERS = [
  0,
  -0,
  -1,
  0.1,
  1e308,
  -1e308,
  5e-324,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53,
  2 ** 53 + 2,
  2 ** 63,
  2 ** 64,
];
/** Every kind of thing in a place of another. */
const HOSTILE: readonly unknown[] = [
  null,
  true,
  [],
  [[]],
  [null],
  {},
  { $ne: null },
  { length: 1e9 },
  { toString: "x", valueOf: "y" },
  nested(200),
  Array(300).fill("x"),
  ...TEXTS,
  ...NUMBERS,
  ...DATES,
];
const RAW = [
  "",
  "null",
  "[]",
  '"text"',
  "{",
  '{"name":"\\u0000"}',
  '{"name":"\\ud800"}',
  '{"__proto__":{"role":"super_admin"},"constructor":{"prototype":{"x":1}},"name":"x"}',
  `{"name":"x","deep":${"[".repeat(5000)}${"]".repeat(5000)}}`,
  `{"name":"\\ud83d\\ude00","deep":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
  `{"size":1e400,"name":"x"}`,
];

function nested(depth: number): unknown {
  let value: unknown = "deep";
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value };
  return value;
}

const constant = <T>(values: readonly T[]) => fc.constantFrom(...values);

const LIKELY: Readonly<Record<string, readonly unknown[]>> = {
  role: ["user", "guest", "member"],
  permissions: ["documents:view", "*", "users:*"],
  permission: ["read", "edit"],
  avatar: ["/a.png", "https://example.com/a.png", "javascript:alert(1)"],
  sort: ["createdAt", "-createdAt", "-id", "name", "rev", "start", "title", "size"],
  page: ["1", "3", "999999999", "0", "-1", "NaN", "1e3"],
  limit: ["1", "100", "101", "999999999", "1.5", ""],
  pageSize: ["1", "0"],
  days: ["1", "365", "366", "-1"],
  months: ["1", "60", "0x10"],
  tz: ["UTC", "Asia/Kolkata", "Mars/Base", "../.."],
  targetPath: ["/", "Reports", "/a/../b", "//"],
  folder: ["/", "/a/b", "a//b", "/a/../b"],
  resource: ["documents", "things"],
  action: ["view", "*"],
};

/** What a field of this name commonly holds. */
function likely(name: string, ids: Ids): Arbitrary<unknown> | null {
  if (Object.hasOwn(LIKELY, name)) return constant(LIKELY[name]!);
  if (/ids?$/i.test(name) || name === "attendees") return idsFor(name, ids);
  if (/^(start|end)(At)?$|date|from|^to$|At$/i.test(name)) return dates;
  if (/email/i.test(name)) return fc.uuid().map((id) => `${id}@example.com`);
  if (/username/i.test(name)) return fc.uuid().map((id) => id.slice(0, 20));
  if (/password/i.test(name)) return fc.constantFrom("a fine password", "correct horse battery");
  return name === "cursor" ? cursors : null;
}

/** Any, but mostly one to come. */
const dates = fc.oneof(fc.constant("2026-11-22T09:00:00Z"), constant(DATES));

/** Cursors that decode, of any sort, with a value of any kind. */
const cursors = fc.tuple(
  fc.constantFrom("createdAt", "name", "title", "start", "id", "size", "lastUsedAt", "remindAt"),
  fc.boolean(),
  constant(["x", "", "a\0b", "2026-11-21T00:00:00.000Z", 1, 1e308, 0.5, true, null, {}]),
  constant(["x", "a\0b", "", 1]),
).map((parts) => btoa(JSON.stringify(parts)).replaceAll("=", ""));

/** Values that a schema takes, by the look of its declaration. */
function valid(schema: z.ZodType, name: string, ids: Ids): Arbitrary<unknown> {
  // deno-lint-ignore no-explicit-any -- the definition of any kind of schema
  const def = schema.def as any;
  const inner = (part: z.ZodType) => valid(part, name, ids);
  switch (def.type) {
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "readonly":
    case "nonoptional":
    case "catch":
      return inner(def.innerType);
    case "pipe":
      return inner(def.in.def.type === "transform" ? def.out : def.in);
    case "lazy":
      return inner(def.getter());
    case "object":
      return object(def.shape, ids);
    case "array":
      return fc.array(inner(def.element), { maxLength: 3 });
    case "union":
      return fc.oneof(...def.options.map(inner));
    case "enum":
      return fc.constantFrom(...Object.values(def.entries));
    case "literal":
      return fc.constantFrom(...def.values);
    case "boolean":
      return fc.boolean();
    case "number":
      return fc.nat(40);
    case "string":
      return likely(name, ids) ?? fc.string({ minLength: 2, maxLength: 20, unit: "grapheme" });
    default:
      return constant(HOSTILE);
  }
}

function object(
  shape: Readonly<Record<string, z.ZodType>>,
  ids: Ids,
): Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(shape).map(([name, schema]) =>
    [name, valid(schema, name, ids)] as const
  );
  const required = Object.entries(shape).filter(([, schema]) => schema.type !== "optional")
    .map(([name]) => name);
  return fc.record(Object.fromEntries(fields), { requiredKeys: required, noNullPrototype: true });
}

const UNKNOWN = ["__proto__", "constructor", "prototype", "toString", "id", "ownerId", "rev"];

/** A body: as declared, with up to two fields replaced and some that are unknown; or no object at all. */
export const bodyOf = (schema: z.ZodType): Make => (ids) => {
  const good = valid(schema, "", ids);
  const spoiled = fc.tuple(
    good,
    fc.array(fc.tuple(fc.nat(), constant(HOSTILE)), { maxLength: 2 }),
    fc.array(fc.tuple(fc.constantFrom(...UNKNOWN), constant(HOSTILE)), { maxLength: 2 }),
  ).map(([body, replaced, added]) => {
    if (typeof body !== "object" || body === null) return body;
    const fields = Object.entries(body);
    for (const [at, value] of replaced) {
      if (fields.length > 0) fields[at % fields.length]![1] = value;
    }
    return Object.fromEntries([...fields, ...added]);
  });
  const sent = fc.oneof({ weight: 4, arbitrary: good }, { weight: 5, arbitrary: spoiled })
    .map((body) => JSON.stringify(body));
  return fc.oneof({ weight: 8, arbitrary: sent }, { weight: 1, arbitrary: constant(RAW) });
};

/** The text after the question mark: a few parameters, some that are strange. */
export const queryOf = (schema: z.ZodType): Make<string> => (ids) => {
  const good = valid(schema, "", ids).map((query) =>
    Object.entries(query as Record<string, unknown>)
  );
  const strange = fc.tuple(
    fc.constantFrom(
      "search",
      "page",
      "limit",
      "sort",
      "cursor",
      "where",
      "__proto__",
      "%00",
      "a[]",
    ),
    fc.oneof(constant(TEXTS), constant(DATES), cursors, fc.constant("a\0b")),
  );
  return fc.tuple(good, fc.nat(20), fc.nat(2), fc.array(strange, { maxLength: 1 })).map(
    ([fields, at, count, added]) => {
      const start = fields.length === 0 ? 0 : at % fields.length;
      return [...fields.slice(start, start + count), ...added].flatMap(([name, value]) =>
        [value].flat().map((one) =>
          `${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`
        )
      ).join("&");
    },
  );
};

/** A segment of a path, encoded. */
export const idOf = (name: string): Make<string> => (ids) =>
  fc.oneof(
    { weight: 7, arbitrary: idsFor(name, ids) },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        "nothing",
        "00000000-0000-0000-0000-000000000000",
        "%00",
        "a%00b",
        "%2F..%2F",
        "..%2f..",
        "%252e",
        "%",
        "%ff%fe",
        "%F0%9F%92%A9",
        "x".repeat(129),
        "x".repeat(4000),
        "%E2%82%AC".repeat(900),
        "-1",
        "0",
        "1",
        "99999999999999999999",
        "NaN",
        "__proto__",
        "constructor",
        "'%20or%201=1",
        "%0D%0Ax:y",
      ),
    },
  );

/** Headers that conditions, repetition and ranges read. */
export const headers: Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 7, arbitrary: fc.constant({}) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Record<string, string>>(
      { "if-match": '"nothing"' },
      { "if-match": 'W/"1", *, "' },
      { "if-none-match": "*" },
      { "idempotency-key": "one" },
      { "idempotency-key": "x".repeat(256) },
      { range: "bytes=99999999999-" },
      { range: "bytes=-0,5-1" },
      { "x-forwarded-for": "not an address, ::1" },
      { "content-type": "text/plain" },
      { cookie: "a.session-token=%00; quarterdeck.session-token=x; token=y" },
      { "user-agent": "é".repeat(3000) },
    ),
  },
);

/** The form of an upload. */
export const formOf: Make = (ids) =>
  fc.record({
    filename: fc.constantFrom("a.png", "../x\u202e.png", "", "x".repeat(3000), '"\r\nx: y', "con"),
    type: fc.constantFrom("image/png", "", "text/html; charset=x", "x".repeat(300)),
    bytes: fc.constantFrom("\x89PNG\r\n\x1a\n", "", "<html>", "%PDF-1.7\n"),
    field: fc.constantFrom("folderId", "name", "fileId", "__proto__", "file"),
    value: fc.oneof(idsFor("folderId", ids), constant(TEXTS.map((text) => text.slice(0, 300)))),
  });

const COLUMNS = "id,name,email,username,role,title,content,type,folder,tags,teamId,start,end,allDay"
  .split(",");

/** The text of a table: columns that some import takes, and cells that fit none of them, or end where they should not. */
export const csvOf: Make<string> = (ids) => {
  const header = fc.shuffledSubarray([...COLUMNS, "__proto__", "NAME", ""], { minLength: 1 });
  const cell = fc.oneof(
    constant(TEXTS.map((text) => text.slice(0, 300))),
    constant(DATES),
    idsFor("teamId", ids),
    fc.constantFrom("a@example.com", "true", "'=1", "a;b;;a", '"', '"a', "a\0b", "\r", "\n"),
  );
  const quoted = fc.tuple(cell, fc.integer({ max: 3 })).map(([text, n]) =>
    n === 0 ? text : `"${text.replaceAll('"', '""')}"`
  );
  const rows = header.chain((names) => {
    const row = fc.array(quoted, { minLength: names.length, maxLength: names.length });
    return fc.array(row, { maxLength: 3 }).map((rows) => [names, ...rows]);
  });
  const sent = rows.map((all) => all.map((row) => row.join(",")).join("\r\n"));
  return fc.oneof({ weight: 8, arbitrary: sent }, { weight: 1, arbitrary: constant(RAW) });
};
