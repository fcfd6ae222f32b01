// Text of users that is read on the event loop: the time grows with its length alone, and none of it holds up others for long.
import assert from "node:assert/strict";
import fc from "fast-check";
import { assertLinearIn, counted, longestHold, repeated, type Shape } from "./growth.ts";
import { type Harness, harness } from "./harness.ts";

/** Characters of a header or of a path with its query: far above what the server takes in all headers together. */
const HEADER = 64 * 1024;
/** Characters of a body: half of what is read as JSON. */
const BODY = 512 * 1024;

interface Parser {
  readonly length: number;
  /** The request that carries the text to where it is read. */
  readonly request: (text: string) => Request;
  readonly shapes: Readonly<Record<string, Shape>>;
  /** What texts at random are put together from. */
  readonly pieces: readonly string[];
}

const at = (path: string, init?: RequestInit) => new Request(`http://localhost${path}`, init);
const withHeader = (name: string, path = "/api/users", method = "GET") => (text: string) =>
  at(path, { method, headers: { [name]: text } });
const withJson =
  (path: string, wrap: (text: string) => string = (text) => text) => (text: string) =>
    at(path, { method: "POST", body: wrap(text), headers: { "content-type": "application/json" } });

/** Bytes that the server reads at a time. */
const CHUNK = 64 * 1024;

function form(text: string): Request {
  const headers = { "content-type": "multipart/form-data; boundary=b" };
  const bytes = new TextEncoder().encode(text);
  const body = ReadableStream.from(function* () {
    for (let i = 0; i < bytes.length; i += CHUNK) yield bytes.subarray(i, i + CHUNK);
  }());
  return at("/api/files/upload", { method: "POST", body, headers });
}

/** A string in JSON. */
const quoted = (field: string) => (text: string) => JSON.stringify({ [field]: text });

const PARSERS: Readonly<Record<string, Parser>> = {
  "the query of a list": {
    length: HEADER,
    request: (text) => at(`/api/users?${text}`),
    shapes: {
      parameters: repeated("a=1&"),
      "different parameters": counted((i) => `a${i}=1&`),
      "values of one parameter": repeated("role=a&"),
      "values of an id": counted((i) => `id=${i}&`),
      "fields to sort by": repeated("name,", { before: "sort=" }),
      "a long sort": repeated("-", { before: "sort=" }),
      "a long cursor": repeated("A", { before: "cursor=" }),
      "escaped characters": repeated("%41"),
      "broken escapes": repeated("%"),
      "equals signs": repeated("="),
      ampersands: repeated("&"),
      brackets: repeated("["),
      "a long search": repeated("a ", { before: "search=" }),
      "a long number": repeated("9", { before: "page=" }),
      "a long time": repeated("2026-01-01T", { before: "createdAt_gte=" }),
    },
    pieces: [
      "a",
      "=",
      "&",
      "%",
      "%41",
      "%C3",
      "id",
      "sort=",
      "name",
      ",",
      "-",
      "_gte",
      "[",
      "]",
      "+",
    ],
  },
  "a path": {
    length: HEADER,
    request: (text) => at(`/api/${text}`),
    shapes: {
      segments: repeated("a/"),
      slashes: repeated("/"),
      "one segment": repeated("a"),
      escapes: repeated("%2F"),
      dots: repeated("../"),
    },
    pieces: ["a", "/", "%2F", "..", ".", "users", ";", ":"],
  },
  "a body of JSON": {
    length: BODY,
    request: withJson("/api/auth/login"),
    shapes: {
      "arrays that are not closed": repeated("["),
      "arrays in arrays": (length) => "[".repeat(length / 2) + "]".repeat(length / 2),
      "objects in objects": (length) => '{"a":'.repeat(length / 6) + "1" + "}".repeat(length / 6),
      "fields of one name": repeated('"a":1,', { before: "{", after: '"b":1}' }),
      "fields of many names": (length) =>
        `{${counted((i) => `"a${i}":1,`)(length).replace(/,[^,]*$/, "")}}`,
      "texts in a list": repeated('"a",', { before: "[", after: '"a"]' }),
      "escapes of NUL": repeated("\\u0000", { before: '{"a":"', after: '"}' }),
      "halves of characters": repeated("\\ud800", { before: '["', after: '"]' }),
      digits: repeated("9"),
      exponents: repeated("1e9,", { before: "[", after: "1]" }),
      "white space": repeated(" \n", { after: "1" }),
      "a long text": repeated("a", { before: '"', after: '"' }),
    },
    pieces: ["[", "]", "{", "}", '"', ":", ",", "\\u0000", "\\", "1", "e", "-", "null", " ", "a"],
  },
  "an address of mail": {
    length: BODY,
    request: withJson("/api/auth/forgot-password", quoted("email")),
    shapes: {
      dots: repeated("a."),
      "at signs": repeated("a@"),
      hyphens: repeated("-", { before: "a@a" }),
      labels: repeated("a.", { before: "a@" }),
      "white space": repeated(" ", { after: "a@b.co" }),
      plus: repeated("+a", { after: "@b" }),
    },
    pieces: ["a", ".", "@", "-", "+", "_", " ", "b.co", "'", "é"],
  },
  "the name of a permission": {
    length: BODY,
    request: withJson("/api/permissions", quoted("name")),
    shapes: {
      colons: repeated(":"),
      stars: repeated("*"),
      words: repeated("a:"),
      "white space": repeated(" ", { before: "a", after: ":b" }),
      hyphens: repeated("a-", { after: ":*" }),
    },
    pieces: ["a", ":", "*", "-", "_", ".", " ", "users:view"],
  },
  "a form with a file": {
    length: BODY,
    request: form,
    shapes: {
      "ends of parts": repeated("\r\n--b\r\n"),
      "almost ends": repeated("\r\n--"),
      "line breaks": repeated("\r\n", { before: "--b\r\n" }),
      "parts with a name": repeated('--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n'),
      "headers of a part": repeated("A: b\r\n", { before: "--b\r\n" }),
      "a long header": repeated("a", { before: "--b\r\nContent-Disposition: form-data; name=" }),
      quotes: repeated('"', { before: "--b\r\nContent-Disposition: form-data; name=" }),
      backslashes: repeated("\\", { before: '--b\r\nContent-Disposition: form-data; name="' }),
      parameters: repeated("; a=b", { before: "--b\r\nContent-Disposition: form-data" }),
      "an encoded name": repeated("%41", {
        before: "--b\r\nContent-Disposition: form-data; filename*=utf-8''",
      }),
      "a long file": repeated("-", {
        before: '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n',
      }),
    },
    pieces: [
      "--b",
      "\r\n",
      "--",
      "a",
      ":",
      ";",
      "=",
      '"',
      "\\",
      "Content-Disposition: form-data",
      " ",
    ],
  },
  cookies: {
    length: HEADER,
    request: withHeader("cookie", "/api/checkin", "POST"),
    shapes: {
      cookies: repeated("a=b; "),
      "session cookies": counted((i) => `a${i}.session-token=b; `),
      "names that almost end so": repeated("a.session-token", { after: "s=b" }),
      semicolons: repeated(";"),
      equals: repeated("="),
      quotes: repeated('"', { before: "a=" }),
      escapes: repeated("%41", { before: "a.session-token=" }),
      dots: repeated(".", { after: "session-token=a" }),
    },
    pieces: ["a", "=", ";", " ", '"', "%41", "%", ".", "session-token", "token="],
  },
  "X-Forwarded-For": {
    length: HEADER,
    request: withHeader("x-forwarded-for", "/api/auth/login", "POST"),
    shapes: {
      proxies: repeated("10.0.0.1, "),
      "proxies in IPv6": repeated("::ffff:10.0.0.1,"),
      commas: repeated(","),
      "white space": repeated(" ", { before: "1.1.1.1,", after: ",1.1.1.1" }),
      colons: repeated(":"),
      digits: repeated("1"),
      dots: repeated("1."),
    },
    pieces: ["10.0.0.1", ",", " ", ":", "::", "f", "1", ".", "%", "[", "]"],
  },
  "If-None-Match": {
    length: HEADER,
    request: withHeader("if-none-match", "/api/users/me"),
    shapes: {
      quotes: repeated('"'),
      tags: repeated('W/"a", '),
      "weak marks": repeated("W/"),
      "a tag without an end": repeated("a", { before: '"' }),
    },
    pieces: ['"', "W/", ",", " ", "*", "a"],
  },
  Authorization: {
    length: HEADER,
    request: withHeader("authorization"),
    shapes: {
      dots: repeated(".", { before: "Bearer " }),
      "a long token": repeated("a", { before: "Bearer a.", after: ".a" }),
      spaces: repeated(" ", { before: "Bearer", after: "a" }),
      schemes: repeated("Bearer "),
    },
    pieces: ["Bearer ", ".", "a", "eyJ", "=", " ", "-"],
  },
  "Content-Type": {
    length: HEADER,
    request: (text) =>
      at("/api/auth/login", { method: "POST", body: "{}", headers: { "content-type": text } }),
    shapes: {
      plus: repeated("a+", { before: "application/", after: "json" }),
      parameters: repeated("; a=b", { before: "application/json" }),
      spaces: repeated(" ", { before: "application/json", after: "x" }),
      "quotes in a form": repeated('"', { before: "multipart/form-data; boundary=" }),
    },
    pieces: ["application/", "json", "+", ";", " ", "a", "=", '"', "multipart/form-data"],
  },
};

const OPTIONS = {
  variant: "full",
  env: { RATE_LIMIT: "false", TRUSTED_PROXIES: "127.0.0.1,10.0.0.0/8,::ffff:10.0.0.0/104" },
};
const info = { remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 } };

/** What a request is answered with, read to its end; in the name of an administrator where it names nobody itself. */
async function answer(h: Harness, request: Request): Promise<number> {
  if (!request.headers.has("authorization")) {
    request.headers.set("authorization", `Bearer ${h.tokens.super}`);
  }
  const response = await h.app.fetch(request, info);
  await response.arrayBuffer();
  return response.status;
}

for (const [name, { length, request, shapes, pieces }] of Object.entries(PARSERS)) {
  Deno.test(`parsers: the time for ${name} grows with its length`, async () => {
    await using h = await harness(OPTIONS);
    const read = {
      prepare: request,
      parse: async (sent: Request) => assert.notEqual(await answer(h, sent), 500),
    };
    for (const [shape, make] of Object.entries(shapes)) {
      await assertLinearIn(shape, make, length, read);
    }
    const unit = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 5 })
      .map((all) => all.join(""));
    const source = fc.record({ unit, before: unit, after: unit });
    await fc.assert(
      fc.asyncProperty(source, async ({ unit, before, after }) => {
        const shape = repeated(unit, { before, after });
        await assertLinearIn(JSON.stringify([before, unit, after]), shape, length / 4, read);
      }),
      { numRuns: 25 },
    );
  });
}

/** Milliseconds that this machine takes now for ten million steps of a loop: about ten where it is idle. */
function measure(): number {
  const started = performance.now();
  let sum = 0;
  for (let i = 0; i < 10_000_000; i++) sum = (sum + i * 7) | 0;
  assert.ok(Number.isInteger(sum));
  return performance.now() - started;
}

/** Times what a plain loop of ten million steps takes: about ten milliseconds where the machine is idle. */
const LONGEST_HOLD = 8;

Deno.test("parsers: none of it holds the event loop for long", async () => {
  await using h = await harness(OPTIONS);
  for (const [name, { length, request, shapes }] of Object.entries(PARSERS)) {
    for (const [shape, make] of Object.entries(shapes)) {
      const text = make(length);
      let least = Infinity;
      // A busy machine stops the loop now and then; it does not at every try.
      for (let i = 0; i < 30 && least > LONGEST_HOLD; i++) {
        const sent = request(text);
        const held = await longestHold(() => answer(h, sent));
        least = Math.min(least, held / measure());
      }
      assert.ok(
        least <= LONGEST_HOLD,
        `${shape} of ${name} hold it for ${least.toFixed(1)} times`,
      );
    }
  }
});
