// Queries of lists: what is asked for is heeded or refused, never dropped in silence.
import assert from "node:assert/strict";
import { z } from "zod";
import { parametersIn } from "../../models/list_query.ts";
import { fullPath } from "../../http/endpoint.ts";
import { type Harness, harness, type Reply } from "../harness.ts";
import { upload } from "../uploads.ts";

interface Problem {
  readonly field: string;
  readonly message: string;
}

const detailsOf = (reply: Reply): Problem[] => reply.body.error.details;

/** The list endpoints that the admin may call without an id in the path. */
function lists(h: Harness): string[] {
  return h.app.endpoints
    .filter(({ method, list, path }) => method === "get" && list && !path.includes("{"))
    .map((endpoint) => fullPath(endpoint, h.settings.basePath));
}

Deno.test("query: a parameter that is not known is refused by every list, with the nearest that is", async () => {
  await using h = await harness({ variant: "full" });
  for (const path of lists(h)) {
    const reply = await h.ask("GET", `${path}?lmit=5&createdat_gt=2026-01-01&_=17`, {
      as: "super",
    });
    assert.equal(reply.status, 400, `${path}: ${reply.text}`);
    assert.deepEqual(detailsOf(reply), [
      {
        field: "lmit",
        message: "is not known here: the nearest known parameter is limit",
        code: "not_known_near_parameter",
      },
      {
        field: "createdat_gt",
        message: "is not known here: the nearest known parameter is createdAt_gt",
        code: "not_known_near_parameter",
      },
    ], path);
  }
});

Deno.test("query: of several names of one parameter an empty one says nothing, and none is dropped", async () => {
  await using h = await harness({ variant: "full" });
  const found = async (method: string, path: string, body?: unknown) => {
    const reply = await h.ask(method, path, { as: "super", body });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.pagination.total;
  };
  for (const query of ["search=&q=nobody", "q=&keyword=nobody", "search=&name_like=nobody"]) {
    assert.equal(await found("GET", `/api/users?${query}`), 0, query);
  }
  await upload(h, "super");
  const all = await found("POST", "/api/files/search", {});
  assert.ok(all > 0);
  for (const body of [{ query: "", search: "none" }, { query: "", keyword: "", search: "none" }]) {
    assert.equal(await found("POST", "/api/files/search", body), 0, JSON.stringify(body));
  }
  const reply = await h.ask("GET", "/api/users?search=a&q=b&limit=5&pageSize=6", { as: "super" });
  assert.deepEqual(detailsOf(reply).map(({ field }) => field), ["q", "pageSize"]);
});

Deno.test("query: a field to sort by that is not known is answered with the nearest", async () => {
  await using h = await harness();
  const ask = async (sort: string, language: string) => {
    const headers = { "accept-language": language };
    return detailsOf(await h.ask("GET", `/api/users?sort=${sort}`, { as: "admin", headers }));
  };
  assert.deepEqual(await ask("-nmae", "en"), [{
    field: "sort",
    message: "must name fields to sort by: 'nmae' is none, the nearest is name",
    code: "not_sort_field_near",
  }]);
  const [chinese] = await ask("created_at", "zh");
  assert.equal(chinese!.message, "必须是可排序的字段：“created_at”不是，最接近的是 createdAt");
});

Deno.test("query: each problem is told once, by the parameter's name, and nothing far is proposed", async () => {
  await using h = await harness({ variant: "full" });
  const cases = [
    ["createdAt_lt=2026-01-01&createdAt_lt=2026-01-02", "createdAt_lt", "must be given once"],
    ["createdAt=a&createdAt=b", "createdAt", /^must be an ISO 8601 date/],
    ["xyz=1", "xyz", "is not known here"],
    ["sort=secrets", "sort", "must name fields to sort by: 'secrets' is none"],
    ["cursor=none", "cursor", /^must be one of a list sorted by \w+, id: 'none' is none$/],
  ] as const;
  for (
    const path of [
      "/api/users",
      "/api/documents",
      "/api/notifications",
      "/api/messages/conversations",
    ]
  ) {
    for (const [query, field, message] of cases) {
      const reply = await h.ask("GET", `${path}?${query}`, { as: "super" });
      assert.equal(reply.status, 400, `${path}?${query}: ${reply.text}`);
      const [problem, ...others] = detailsOf(reply);
      assert.deepEqual([problem?.field, others], [field, []], `${path}?${query}`);
      if (typeof message === "string") assert.equal(problem!.message, message, path);
      else assert.match(problem!.message, message, path);
      assert.equal(reply.body.message, `Cannot accept the request: ${field}: ${problem!.message}`);
    }
  }
});

Deno.test("query: names that begin with an underscore are ignored", async () => {
  await using h = await harness({ variant: "full" });
  for (const path of lists(h)) {
    const reply = await h.ask("GET", `${path}?_=1&_t=2&__proto__=3`, { as: "super" });
    assert.equal(reply.status, 200, `${path}: ${reply.text}`);
    assert.equal("warnings" in reply.body, false);
  }
});

Deno.test("query: at most ten unknown parameters are named, and no name in full length", async () => {
  await using h = await harness();
  const names = Array.from({ length: 300 }, (_, n) => `${"x".repeat(200)}${n}=1`);
  const reply = await h.ask("GET", `/api/users?${names.join("&")}`, { as: "admin" });
  assert.equal(detailsOf(reply).length, 10);
  assert.equal(detailsOf(reply)[0]!.field.length, 100);
});

Deno.test("query: every list takes an id, several ids, and ranges of createdAt", async () => {
  await using h = await harness({ variant: "full" });
  for (const path of lists(h)) {
    const query = "id=none&id=nothing&id_ne=x&createdAt_gte=2026-01-01&createdAt_lt=2027-01-01";
    const reply = await h.ask("GET", `${path}?${query}`, { as: "super" });
    assert.equal(reply.status, 200, `${path}: ${reply.text}`);
    assert.deepEqual(reply.data, [], path);
  }
});

Deno.test("query: a field that its records do not show is no parameter", async () => {
  await using h = await harness({ variant: "full" });
  /** Shown by another name, or of how a list is asked for. */
  const others =
    /^(id|page|limit|pageSize|sort|cursor|search|q|keyword|days|unread|folder|from|to|tz|tag|roleId|lastMessageAt|assigneeId|actorId|impersonatorId|createdAt|updatedAt)$/;
  let seen = 0;
  for (const endpoint of h.app.endpoints.filter(({ list, query }) => list && query)) {
    const record = endpoint.data instanceof z.ZodArray ? endpoint.data.element : null;
    if (!record) continue;
    const shown = Object.keys((record as unknown as z.ZodObject).shape);
    for (const name of Object.keys(parametersIn(endpoint.query!).shape)) {
      const field = name.replace(/_(ne|gte?|lte?|like)$/, "");
      seen++;
      assert.ok(others.test(field) || shown.includes(field), `${endpoint.path}: ${name}`);
    }
  }
  assert.ok(seen > 400, `only ${seen} parameters were looked at`);
});

/** The names that a list of users answers with, by name. */
async function names(h: Harness, query: string): Promise<string[]> {
  const reply = await h.ask("GET", `/api/users?sort=name&${query}`, { as: "admin" });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.body.pagination.total, reply.data.length);
  return reply.data.map(({ name }: { name: string }) => name.split(" ")[0]);
}

Deno.test("query: several values are any of them, _ne none of them, bounds hold together", async () => {
  await using h = await harness();
  const { admin, guest } = h.accounts;
  const cases: [string, string[]][] = [
    ["role=admin&role=guest", ["Admin", "Guest"]],
    ["role=admin&role=", ["Admin"]],
    ["role=admin&role=all", ["Admin", "Guest", "Other", "Super", "User"]],
    [`id=${admin.id}&id=${guest.id}&id=none`, ["Admin", "Guest"]],
    [`id=${admin.id}&role=guest`, []],
    ["role_ne=user", ["Admin", "Guest", "Super"]],
    ["role_ne=user&role_ne=guest", ["Admin", "Super"]],
    ["role=user&role=guest&role_ne=user", ["Guest"]],
    ["department_ne=Ops", ["Admin", "Guest", "Other", "Super", "User"]],
    ["name_gt=Guest&name_lt=T", ["Guest", "Other", "Super"]],
    ["email_gte=guest@example.com&email_lte=other@example.com", ["Guest", "Other"]],
    ["status_ne=INACTIVE&role=admin", ["Admin"]],
    ["createdAt_gte=2026-11-21", ["Admin", "Guest", "Other", "Super", "User"]],
    ["createdAt_gt=2026-11-21", []],
    ["createdAt_lte=2026-11-21", ["Admin", "Guest", "Other", "Super", "User"]],
    ["createdAt_lt=2026-11-21", []],
    [`createdAt_gte=2026-11-21T12:00:00%2B02:00&createdAt_lt=`, [
      "Admin",
      "Guest",
      "Other",
      "Super",
      "User",
    ]],
  ];
  for (const [query, expected] of cases) {
    assert.deepEqual(await names(h, query), expected, query);
  }
});

Deno.test("query: a role by its id", async () => {
  await using h = await harness({ variant: "full" });
  const found = await h.ask("GET", "/api/roles?name=guest&name=admin", { as: "super" });
  const ids = found.data.map(({ id }: { id: string }) => `roleId=${id}`);
  assert.equal(ids.length, 2);
  assert.deepEqual(await names(h, ids.join("&")), ["Admin", "Guest"]);
  assert.deepEqual(await names(h, "roleId=none"), []);
});

Deno.test("query: sorted by several fields, and walked by cursor in that order", async () => {
  await using h = await harness();
  const walked: string[] = [];
  let cursor = "";
  do {
    const query = `sort=role,-name&limit=2${cursor && `&cursor=${cursor}`}`;
    const { body, data } = await h.ask("GET", `/api/users?${query}`, { as: "admin" });
    walked.push(...data.map(({ name }: { name: string }) => name.split(" ")[0]));
    cursor = body.pagination.nextCursor ?? "";
  } while (cursor !== "");
  assert.deepEqual(walked, ["Admin", "Guest", "Super", "User", "Other"]);
});

Deno.test("query: a walk goes on after the longest texts that a list is sorted by", async () => {
  await using h = await harness({ variant: "full" });
  const role = "字".repeat(50), domain = `${"b".repeat(60)}.`.repeat(3);
  await h.ask("POST", "/api/roles", { as: "super", body: { name: role } });
  for (const n of [1, 2]) {
    const body = { name: "名".repeat(200), role, email: `${n}${"a".repeat(60)}@${domain}org` };
    const made = await h.ask("POST", "/api/users", { as: "super", body });
    assert.equal(made.status, 201, made.text);
  }
  const page = `/api/users?search=${"a".repeat(60)}&sort=name,role,email&limit=1`;
  const first = await h.ask("GET", page, { as: "super" });
  const { nextCursor } = first.body.pagination;
  const second = await h.ask("GET", `${page}&cursor=${nextCursor}`, { as: "super" });
  assert.equal(second.status, 200, second.text);
  assert.deepEqual([first, second].map(({ data }) => data[0].email[0]), ["1", "2"]);
});

Deno.test("query: what cannot be compared is refused, and the parameter is named", async () => {
  await using h = await harness();
  const cases: [string, string, string][] = [
    ["/api/users", "page=1&page=2", "page: must be given once"],
    ["/api/users", "page=1.5", "page: must be a whole number from 1"],
    ["/api/users", "sort=name&sort=email", "sort: must be given once"],
    ["/api/users", "createdAt_gte=2026-01-01&createdAt_gte=2026-01-02", "createdAt_gte: "],
    ["/api/users", "createdAt_lt=soon", "createdAt_lt: must be an ISO 8601 date and time"],
    ["/api/users", "status=active&status=gone", "status: must be one of active, inactive"],
    ["/api/users", "name_gt=a%00b", "name_gt: must not hold NUL"],
    ["/api/files", "size_gt=1.5", "size_gt: must be a whole number"],
    ["/api/files", `size=${"9".repeat(30)}`, "size: must be a whole number"],
    ["/api/files", "isFavorite=perhaps", "isFavorite: must be one of true, false"],
    ["/api/files", "isFavorite_gt=true", "isFavorite_gt: is not known here"],
  ];
  for (const [path, query, problem] of cases) {
    const reply = await h.ask("GET", `${path}?${query}`, { as: "admin" });
    assert.equal(reply.status, 400, `${query}: ${reply.text}`);
    const [{ field, message }] = detailsOf(reply) as [Problem];
    assert.ok(`${field}: ${message}`.startsWith(problem), `${query}: ${field}: ${message}`);
  }
});

Deno.test("query: a filter narrows what the caller sees, and never replaces it", async () => {
  await using h = await harness();
  const own = await h.ask("POST", "/api/documents", { as: "super", body: { title: "Secret" } });
  const { ownerId, id } = own.data;
  for (const query of [`ownerId=${ownerId}`, `id=${id}`, `id_ne=none`, "title=Secret"]) {
    const reply = await h.ask("GET", `/api/documents?${query}`, { as: "user" });
    assert.deepEqual(reply.data, [], query);
    const seen = await h.ask("GET", `/api/documents?${query}`, { as: "admin" });
    assert.equal(seen.data.length, 1, query);
  }
});

Deno.test("query: more than a page may hold is a page, and the answer says so", async () => {
  await using h = await harness({ variant: "full" });
  for (const name of ["limit", "pageSize"]) {
    const { body } = await h.ask("GET", `/api/users?${name}=1000`, { as: "admin" });
    assert.equal(body.pagination.limit, 100);
    assert.deepEqual(body.warnings, [
      { field: name, message: "is at most 100 here: 1000 were asked for", code: "capped" },
    ]);
  }
  const search = { body: { limit: 101 }, as: "admin" } as const;
  const found = await h.ask("POST", "/api/files/search", search);
  assert.equal(found.body.pagination.limit, 100);
  assert.equal(found.body.warnings[0].field, "limit");
  const most = await h.ask("GET", "/api/users?limit=100", { as: "admin" });
  assert.equal("warnings" in most.body, false);
});

Deno.test("query: what is one of some words is taken in either case, as in a body", async () => {
  await using h = await harness({ variant: "full" });
  const file = await upload(h, "super");
  const target = { url: "https://example.com/hook", events: ["*"] };
  const { data: hook } = await h.ask("POST", "/api/webhooks", { as: "super", body: target });
  const from = h.clock.now().toISOString();
  const cases: [method: string, path: string, body?: unknown][] = [
    ["GET", "/api/users/export?format=CSV"],
    ["GET", "/api/access/explain?permission=files:view&resource=FILES&id=none"],
    ["GET", `/api/files/${file.id}/download-url?disposition=Inline`],
    ["POST", `/api/files/${file.id}/link`, { disposition: "INLINE" }],
    ["POST", `/api/webhooks/${hook.id}/replay`, { from, status: "All" }],
    ["GET", "/api/trash?kind=FILE"],
  ];
  for (const [method, path, body] of cases) {
    const { status, text } = await h.ask(method, path, { as: "super", body });
    assert.ok(status < 300, `${path}: ${text}`);
  }
});
