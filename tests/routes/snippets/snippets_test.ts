// Snippets: sharing, the sandboxed page, Markdown, the daily check-in; in every variant.
import assert from "node:assert/strict";
import { checkins } from "../../../models/snippets.ts";
import { type Harness, harness, PASSWORD } from "../../harness.ts";
import { assertHolds, type Row, scenarios } from "../../scenario.ts";

const TOO_LONG = "a".repeat(256 * 1024 + 1);
const json = { "content-type": "application/json" };

for (const variant of ["compact", "full", "web", "snippets"]) {
  scenarios(`snippets in ${variant}`, {
    variant,
    rows: [
      {
        name: "share",
        method: "POST",
        path: "/api/share",
        body: { content: "<b>x</b>" },
        status: 201,
        holds: { success: true, language: "html", message: "The snippet is shared" },
        after: (_, reply) => assert.equal(reply.body.id, reply.data.id),
      },
      {
        name: "markdown",
        method: "POST",
        path: "/api/markdown",
        body: { markdown: "# Hi" },
        status: 200,
        holds: { success: true, markdown: "# Hi", message: "The Markdown is converted" },
        after: (_, reply) => assert.match(reply.body.html, /^<!doctype html>[^]*<h1>Hi<\/h1>/),
      },
      { name: "check-in without a cookie", method: "POST", path: "/api/checkin", status: 401 },
    ],
  });
}

function refused(
  path: string,
  name: string,
  body: unknown,
  status: number,
  details?: string[],
): Row {
  const headers = typeof body === "string" ? json : undefined;
  return { name: `${path}: ${name}`, method: "POST", path, body, headers, status, details };
}

scenarios("snippets", {
  rows: [
    refused("/api/share", "no body", undefined, 400, ["body"]),
    refused("/api/share", "no content", {}, 400, ["content"]),
    refused("/api/share", "empty content", { content: "" }, 400, ["content"]),
    refused("/api/share", "content of another type", { content: 1 }, 400, ["content"]),
    refused("/api/share", "another language", { content: "a", language: "js" }, 400, ["language"]),
    refused("/api/share", "not JSON", "{", 400, ["body"]),
    refused("/api/share", "over 256 KiB", { content: TOO_LONG }, 413),
    refused("/api/share", "over 1 MiB", { content: "a".repeat(1024 * 1024) }, 413),
    refused("/api/markdown", "no body", undefined, 400, ["body"]),
    refused("/api/markdown", "no source", {}, 400, ["markdown"]),
    refused("/api/markdown", "over 256 KiB", { markdown: TOO_LONG }, 413),
    refused("/api/markdown", "nested too deeply", { markdown: ">".repeat(4096) }, 400, [
      "markdown",
    ]),
    {
      name: "another content type: 415",
      method: "POST",
      path: "/api/share",
      body: "content=a",
      headers: { "content-type": "text/plain" },
      status: 415,
    },
    {
      name: "languages in either case",
      method: "POST",
      path: "/api/share",
      body: { content: "# a", language: "Markdown" },
      status: 201,
      holds: { language: "markdown" },
    },
    {
      name: "exactly 256 KiB",
      method: "POST",
      path: "/api/share",
      body: { content: TOO_LONG.slice(1) },
      status: 201,
    },
    { name: "an unknown snippet: 404", method: "GET", path: "/api/share/none", status: 404 },
    { name: "an unknown page: 404", method: "GET", path: "/s/none", status: 404 },
    { name: "removing needs an account", method: "DELETE", path: "/api/share/none", status: 401 },
    {
      name: "removing what is not",
      method: "DELETE",
      path: "/api/share/none",
      as: "user",
      status: 404,
    },
  ],
});

async function share(h: Harness, body: Record<string, unknown>, as?: "user" | "other") {
  const reply = await h.ask("POST", "/api/share", { as, body });
  assert.equal(reply.status, 201, reply.text);
  return reply.data as { id: string; url: string };
}

Deno.test("share: userId is kept only when it is the caller's own", async () => {
  await using h = await harness();
  const { user, other } = h.accounts;
  const cases = [["user", user.id, user.id], ["user", other.id, undefined], [
    undefined,
    user.id,
    undefined,
  ]];
  for (const [as, userId, kept] of cases) {
    const { id } = await share(h, { content: "a", userId }, as as "user" | undefined);
    const reply = await h.ask("GET", `/api/share/${id}`);
    assert.equal(reply.data.userId, kept);
    assert.equal(reply.data.content, "a");
  }
});

Deno.test("share: removed by its owner or by who may do everything", async () => {
  await using h = await harness();
  const { id } = await share(h, { content: "a", userId: h.accounts.user.id }, "user");
  const path = `/api/share/${id}`;
  assert.equal((await h.ask("DELETE", path, { as: "other" })).status, 403);
  assert.equal((await h.ask("DELETE", path, { as: "user" })).status, 200);
  assert.equal((await h.ask("GET", path)).status, 404);
  const nobodys = await share(h, { content: "a" });
  assert.equal((await h.ask("DELETE", `/api/share/${nobodys.id}`, { as: "user" })).status, 403);
  assert.equal((await h.ask("DELETE", `/api/share/${nobodys.id}`, { as: "super" })).status, 200);
});

Deno.test("share: the page is sandboxed, and Markdown holds no script", async () => {
  await using h = await harness({ variant: "web" });
  const source = "<h1>a</h1><script>alert(1)</script>";
  const html = await h.ask("GET", (await share(h, { content: source })).url);
  assert.ok(html.text.includes(`sandbox="" srcdoc="${source}"`), "its scripts are off at first");
  const policy = html.headers.get("content-security-policy")!;
  assert.match(
    policy,
    /^sandbox allow-scripts; default-src 'none'; frame-src 'none'; form-action 'none'/,
  );
  assert.equal(html.headers.get("content-type"), "text/html; charset=utf-8");
  assert.equal(html.headers.get("x-content-type-options"), "nosniff");
  assert.equal(html.headers.get("set-cookie"), null);

  const { url } = await share(h, { content: `# b\n\n${source}`, language: "markdown" });
  const markdown = await h.ask("GET", url);
  const markdownPolicy = markdown.headers.get("content-security-policy")!;
  assert.match(
    markdownPolicy,
    /^sandbox allow-popups[\w -]*; default-src 'none'; frame-src 'none'/,
  );
  assert.ok(!markdownPolicy.includes("script-src"));
  assert.ok(markdown.text.includes("<h1>b</h1>") && !markdown.text.includes("<script"));
});

Deno.test("snippets: callers without an account are held to a rate, others are not", async () => {
  await using h = await harness();
  const limits = { "/api/share": [30, { content: "a" }], "/api/markdown": [60, { markdown: "a" }] };
  for (const [path, [limit, body]] of Object.entries(limits)) {
    for (let i = 0; i < (limit as number); i++) {
      assert.ok((await h.ask("POST", path, { body })).status < 300);
    }
    const reply = await h.ask("POST", path, { body });
    assert.equal(reply.status, 429);
    assert.ok(Number(reply.headers.get("retry-after")) > 0);
    assert.ok((await h.ask("POST", path, { as: "user", body })).status < 300);
    h.clock.advance(61_000);
    assert.ok((await h.ask("POST", path, { body })).status < 300);
  }
});

/** Signs in; the value of the cookie that the check-in reads. */
async function sessionCookie(h: Harness): Promise<string> {
  const body = { email: "user@example.com", password: PASSWORD };
  const reply = await h.ask("POST", "/api/auth/login", { body });
  const set = reply.headers.getSetCookie().find((one) =>
    one.startsWith("quarterdeck.session-token=")
  )!;
  return set.slice(set.indexOf("=") + 1, set.indexOf(";"));
}

const checkIn = (h: Harness, cookie: string, query = "", headers: Record<string, string> = {}) =>
  h.ask("POST", `/api/checkin${query}`, { headers: { cookie, ...headers } });

const DAY = 24 * 60 * 60 * 1000;

Deno.test("check-in: points, the total, the streak; once a day; from 1 after a missed day", async () => {
  await using h = await harness({ variant: "snippets" });
  const cookie = `quarterdeck.session-token=${await sessionCookie(h)}`;
  const first = await checkIn(h, cookie);
  assert.equal(first.status, 200);
  const { points } = first.body;
  assert.ok(Number.isInteger(points) && points >= 20 && points <= 50);
  assertHolds(first.body, { success: true, points, totalPoints: points, streak: 1 });
  assert.equal(typeof first.body.message, "string");

  const again = await checkIn(h, cookie);
  assert.equal(again.status, 409);
  assertHolds(again.body, {
    success: false,
    error: { code: "CONFLICT" },
    points,
    totalPoints: points,
    streak: 1,
  });
  assert.equal((await checkIn(h, cookie, "?tz=Pacific/Kiritimati")).status, 409);

  h.clock.advance(DAY);
  const second = await checkIn(h, cookie);
  const total = points + second.body.points;
  assertHolds(second.body, { totalPoints: total, streak: 2 });
  h.clock.advance(2 * DAY);
  const third = await checkIn(h, cookie);
  assertHolds(third.body, { totalPoints: total + third.body.points, streak: 1 });
});

Deno.test("check-in: ten at the same time are one", async () => {
  await using h = await harness();
  const cookie = `quarterdeck.session-token=${await sessionCookie(h)}`;
  const replies = await Promise.all(Array.from({ length: 10 }, () => checkIn(h, cookie)));
  const awarded = replies.filter(({ status }) => status === 200);
  assert.equal(awarded.length, 1);
  for (const { status, body } of replies) {
    assert.ok(status === 200 || status === 409);
    assert.equal(body.totalPoints, awarded[0]!.body.points);
  }
  assert.equal(await h.store.from(checkins).count(), 1);
});

Deno.test("check-in: which cookies count", async () => {
  await using h = await harness();
  const value = await sessionCookie(h);
  const bad = [
    "",
    `session-token=${value}`,
    `.session-token=${value}`,
    `quarterdeck.session-tokens=${value}`,
    `quarterdeck.session-token=${value}x`,
    "quarterdeck.session-token=",
    `other="quarterdeck.session-token=${value}"`,
    `quarterdeck.session-token.sig=${value}`,
    `token=${h.tokens.user}`,
  ];
  for (const cookie of bad) assert.equal((await checkIn(h, cookie)).status, 401, cookie);
  const good = [
    `a=b; quarterdeck.session-token=${value}; c=d`,
    `__Secure-quarterdeck.session-token=${value}`,
    `__Host-quarterdeck.session-token=${value}`,
    `next-auth.session-token=stale; __Secure-authjs.session-token=${value}`,
  ];
  for (const cookie of good) {
    assert.equal((await checkIn(h, cookie)).status, 200, cookie);
    h.clock.advance(DAY);
  }
});

Deno.test("check-in: not from another site, not with an unknown zone, not after logging out", async () => {
  await using h = await harness();
  const cookie = `quarterdeck.session-token=${await sessionCookie(h)}`;
  const foreign: Record<string, string>[] = [
    { origin: "https://evil.example" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
  ];
  for (const headers of foreign) assert.equal((await checkIn(h, cookie, "", headers)).status, 403);
  assert.equal((await checkIn(h, cookie, "?tz=Mars/Olympus")).status, 400);
  assert.equal((await checkIn(h, cookie, "?tz=%2B02:00")).status, 400);
  h.clock.advance(8 * DAY);
  assert.equal((await checkIn(h, cookie)).status, 401, "the session has expired");
});
