// Queries and answers in the ways of other servers' clients: each is read as its equal here, or refused.
import assert from "node:assert/strict";
import { type Harness, harness, type Reply } from "../harness.ts";
import { png } from "../uploads.ts";

/** Twelve documents of the user, `Note 01` to `Note 12`; every third is code. */
async function notes(h: Harness): Promise<string[]> {
  await h.grant("user", "documents:create", "documents:update");
  const ids: string[] = [];
  for (let n = 1; n <= 12; n++) {
    const title = `Note ${String(n).padStart(2, "0")}`;
    const body = { title, type: n % 3 === 0 ? "code" : "document" };
    ids.push((await h.ask("POST", "/api/documents", { as: "user", body })).data.id);
    h.clock.advance(1000);
  }
  return ids;
}

const json = (value: unknown) => encodeURIComponent(JSON.stringify(value));
const titles = (rows: { title: string }[]) => rows.map(({ title }) => title.slice(5));

Deno.test("dialects: pages, sorts and filters in other words are read as their equals", async () => {
  await using h = await harness();
  const ids = await notes(h);
  const cases: [query: string, equal: string][] = [
    ["_start=0&_end=5&_sort=title&_order=ASC", "page=1&limit=5&sort=title"],
    ["_start=5&_end=10&_sort=title&_order=desc", "page=2&limit=5&sort=-title"],
    ["_start=4&_limit=4&_sort=-title", "page=2&limit=4&sort=-title"],
    ["_start=0&_sort=title", "page=1&sort=title"],
    ["_page=3&_limit=5&_sort=title", "page=3&limit=5&sort=title"],
    ["_page=2&_per_page=3", "page=2&limit=3"],
    ["_sort=type,title&_order=asc,desc&_end=12", "sort=type,-title&limit=12"],
    ["_sort=type,title", "sort=type,title"],
    [`sort=${json(["title", "DESC"])}&range=${json([3, 5])}`, "sort=-title&page=2&limit=3"],
    [`filter=${json({ type: "code" })}`, "type=code"],
    [`filter=${json({ id: ids.slice(0, 11) })}`, `limit=11&id=${ids.slice(0, 11).join("&id=")}`],
    [`filter=${json({ q: "note 1", type: ["code", "pdf"] })}`, "q=note 1&type=code&type=pdf"],
    [`filter=${json({ type: [], title_gte: "Note 05" })}`, "title_gte=Note 05"],
    [`filter=${json({})}`, ""],
    [`filter=${json({ size: 0 })}`, "size=0"],
    ["title_like=note 1", "search=note 1"],
    ["title_like=", ""],
    ["type_ne=code&_start=0&_end=3", "type_ne=code&limit=3"],
    [`id=${ids.join("&id=")}`, "limit=12"],
  ];
  for (const [query, equal] of cases) {
    const told = await h.ask("GET", `/api/documents?${query}`, { as: "user" });
    const meant = await h.ask("GET", `/api/documents?${equal}`, { as: "user" });
    assert.equal(told.status, 200, `${query}: ${told.text}`);
    assert.deepEqual(told.data, meant.data, query);
    assert.equal(told.body.pagination.total, meant.body.pagination.total, query);
  }
  const none = await h.ask("GET", `/api/documents?filter=${json({ id: [] })}`, { as: "user" });
  assert.deepEqual([none.data, none.body.pagination.total], [[], 0]);
});

Deno.test("dialects: what cannot be read is refused by its name", async () => {
  await using h = await harness();
  await notes(h);
  const cases: [query: string, field: string, message: RegExp][] = [
    ["sort=[title", "sort", /not valid JSON/],
    [`sort=${json(["title"])}`, "sort", /must be a list such as/],
    [`sort=${json(["title", "up"])}`, "sort", /asc or desc/],
    [`sort=${json(["secret", "ASC"])}`, "sort", /'secret' is none/],
    [`range=${json([5, 2])}`, "range", /first and the last place/],
    [`range=${json([0])}`, "range", /first and the last place/],
    [`range=${json([0, 1e300])}`, "range", /first and the last place/],
    ["range=0-9", "range", /not valid JSON/],
    [`range=${json([3, 12])}`, "range", /must begin a page: 3 is no multiple of the 10/],
    ["_start=7&_end=12", "_start", /must begin a page/],
    ["_start=1000&_end=2000", "_start", /a page of at most 100 rows, not of 1000/],
    [`range=${json([101, 201])}`, "range", /at most 100 rows, not of 101/],
    ["_start=5&_end=5", "_end", /greater than _start/],
    ["_start=-5&_end=5", "_start", /whole number from 0/],
    ["_start=0&_end=99999999999999999", "_end", /whole number from 0/],
    ["_start=0&_start=1&_end=5", "_start", /must be given once/],
    ["_page=0", "page", /whole number from 1/],
    ["filter={", "filter", /not valid JSON/],
    [`filter=${json([1])}`, "filter", /must be an object/],
    [`filter=${json("x")}`, "filter", /must be an object/],
    [`filter=${json({ type: { a: 1 } })}`, "filter.type", /must be text, a number/],
    [`filter=${json({ type: null })}`, "filter.type", /must be text, a number/],
    [`filter=${json({ tpye: "code" })}`, "tpye", /the nearest known parameter is type/],
    [`filter={"__proto__":"x"}`, "__proto__", /^$/],
    [`filter=${json({ type: "novel" })}`, "type", /must be one of/],
    ["title_like=a&search=b", "title_like", /one of search, title_like/],
    ["content_like=a", "content_like", /not known/],
    ["_sort=title&_order=up", "_order", /asc or desc/],
  ];
  for (const [query, field, message] of cases) {
    const reply = await h.ask("GET", `/api/documents?${query}`, { as: "user" });
    // Names that begin with an underscore pass, wherever they stand.
    if (field === "__proto__") {
      assert.equal(reply.status, 200, reply.text);
      continue;
    }
    assert.equal(reply.status, 400, `${query}: ${reply.text}`);
    assert.equal(reply.body.error.details[0].field, field, query);
    assert.match(reply.body.error.details[0].message, message, query);
  }
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`f${n}`, "x"]));
  const refused = await h.ask("GET", `/api/documents?filter=${json(many)}`, { as: "user" });
  assert.match(refused.body.error.details[0].message, /at most 50 fields/);
});

Deno.test("dialects: of a first page of more rows than an answer holds come as many as it holds", async () => {
  await using h = await harness();
  await notes(h);
  const page = async (query: string): Promise<Reply> =>
    await h.ask("GET", `/api/documents?_sort=title&${query}`, { as: "user" });
  assert.equal((await page("_start=0&_end=1000")).data.length, 12);
  const beyond = await page("_start=100&_end=200");
  assert.deepEqual([beyond.data, beyond.body.pagination.page], [[], 2]);
  assert.equal(beyond.headers.get("content-range"), "documents */12");
});

Deno.test("dialects: Content-Range, the links and the total tell where a page is", async () => {
  await using h = await harness();
  await notes(h);
  const path = "/api/documents?_start=5&_end=10&_sort=title";
  const reply = await h.ask("GET", path, { as: "user" });
  assert.deepEqual(titles(reply.data), ["06", "07", "08", "09", "10"]);
  assert.equal(reply.headers.get("x-total-count"), "12");
  assert.equal(reply.headers.get("content-range"), "documents 5-9/12");
  const next = /<([^>]+)>; rel="next"/.exec(reply.headers.get("link")!)![1]!;
  const following = await h.ask("GET", next, { as: "user" });
  assert.deepEqual(titles(following.data), ["11", "12"]);
  const native = await h.ask("GET", "/api/documents", { as: "user" });
  assert.equal(native.headers.get("content-range"), null, "native requests pay for nothing");
  const origin = { origin: "http://admin.example.com" };
  const exposed = await h.ask("GET", "/api/documents", { as: "user", headers: origin });
  assert.match(exposed.headers.get("access-control-expose-headers")!, /Content-Range/);
});

Deno.test("dialects: the data alone is answered at /rest, by the query and by Accept", async () => {
  await using h = await harness();
  const [id] = await notes(h);
  const enveloped = await h.ask("GET", "/api/documents", { as: "user" });
  const accept = { accept: "application/json;envelope=false" };
  for (
    const [path, headers] of [
      ["/api/rest/documents", {}],
      ["/api/documents?envelope=false", {}],
      ["/api/documents", accept],
    ] as const
  ) {
    const list = await h.ask("GET", path, { as: "user", headers });
    assert.deepEqual(list.body, enveloped.data, path);
    assert.equal(list.headers.get("x-total-count"), "12");
  }
  const one = await h.ask("GET", `/api/rest/documents/${id}`, { as: "user" });
  assert.deepEqual([one.body.id, one.body.title], [id, "Note 01"]);
  const put = { as: "user" as const, body: { ...one.body, title: "Renamed" } };
  const saved = await h.ask("PUT", `/api/rest/documents/${id}`, put);
  assert.deepEqual([saved.status, saved.body.title], [200, "Renamed"]);
  const made = await h.ask("POST", "/api/rest/documents", { as: "user", body: { title: "New" } });
  assert.deepEqual([made.status, made.body.title], [201, "New"]);
  const missing = await h.ask("DELETE", `/api/rest/documents/${id}`, { as: "other" });
  assert.deepEqual([missing.status, missing.body.success], [403, false]);
  const wrong = await h.ask("POST", "/api/rest/documents", { as: "user", body: { title: "" } });
  assert.deepEqual([wrong.status, wrong.body.errors], [400, { title: "must not be empty" }]);
  const login = await h.ask("POST", "/api/rest/auth/login", {
    body: { email: "user@example.com", password: "correct horse battery" },
  });
  assert.equal(typeof login.body.accessToken, "string");
  assert.equal((await h.ask("GET", "/api/rest/documents")).status, 401);
  assert.equal((await h.ask("GET", "/api/rest/nothing", { as: "user" })).status, 404);
  assert.equal((await h.ask("PUT", "/api/rest/documents", { as: "user" })).status, 405);
});

Deno.test("dialects: a cache that has seen one form of an answer is not told to keep it for the other", async () => {
  await using h = await harness();
  const accept = { accept: "application/json;envelope=false" };
  const path = `/api/users/${h.accounts.user.id}`;
  const enveloped = await h.ask("GET", path, { as: "admin" });
  const tag = { "if-none-match": enveloped.headers.get("etag")! };
  const bare = await h.ask("GET", path, { as: "admin", headers: { ...accept, ...tag } });
  assert.equal(bare.status, 200);
  assert.equal(bare.body.id, h.accounts.user.id);
  assert.equal(bare.headers.get("cache-control"), "no-store");
  assert.equal((await h.ask("GET", path, { as: "admin", headers: tag })).status, 304);
});

Deno.test("dialects: in web, the guard sees the same paths below /rest", async () => {
  await using h = await harness({ variant: "web" });
  const headers = { origin: "https://elsewhere.example.com" };
  const body = { email: "user@example.com", password: "correct horse battery" };
  const foreign = await h.ask("POST", "/api/rest/auth/login", { body, headers });
  assert.equal(foreign.status, 403);
  const login = await h.ask("POST", "/api/rest/auth/login", { body });
  assert.deepEqual([login.status, login.body.success], [200, undefined]);
  assert.equal((await h.ask("GET", "/api/rest/users")).status, 401);
});

Deno.test("dialects: a file is made from JSON, by its bytes, within its bounds", async () => {
  await using h = await harness();
  await h.grant("user", "files:create");
  const make = (body: unknown) => h.ask("POST", "/api/rest/files", { as: "user", body });
  const content = png("in JSON").toBase64();
  const plain = await make({ name: "a.png", content });
  assert.deepEqual([plain.status, plain.body.mimeType], [201, "image/png"]);
  const url = await make({ name: "b.txt", content: `data:text/plain;base64,${btoa("hello")}` });
  assert.deepEqual([url.status, url.body.mimeType, url.body.size], [201, "text/plain", 5]);
  const read = await h.ask("GET", `/api/files/${url.body.id}/download`, { as: "user" });
  assert.equal(read.text, "hello");
  for (const wrong of ["", "*", "data:text/plain,hello", "a".repeat(720_900 / 3 * 4)]) {
    const refused = await make({ name: "c", content: wrong });
    assert.equal(refused.status, 400, wrong.slice(0, 20));
  }
  const elsewhere = await make({ name: "d.png", content, folderId: crypto.randomUUID() });
  assert.equal(elsewhere.status, 400, elsewhere.text);
  const { data } = await h.ask("GET", "/api/files", { as: "user" });
  assert.equal(data.length, 2);
});
