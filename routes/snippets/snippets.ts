// Snippets: sharing, showing what is shared where its script can reach nothing, Markdown, and the daily check-in.
import { createHash } from "node:crypto";
import { parse } from "hono/utils/cookie";
import { z } from "zod";
import { SESSION_COOKIE } from "../cookies.ts";
import { type Call, endpoint } from "../endpoint.ts";
import { ApiError, forbidden, notFound } from "../errors.ts";
import { isForeign } from "../middleware/origin.ts";
import { deleted } from "../models/requests.ts";
import {
  checkinQuery,
  checkinResult,
  checkins,
  markdownRequest,
  publicSnippet,
  shareRequest,
  shareResult,
  type Snippet,
  snippets,
} from "../models/snippets.ts";
import { permits, type Principal } from "../services/access.ts";
import { assertSourceSize, markdownToHtml } from "../services/markdown.ts";
import { MARKDOWN_STYLE } from "../services/markdown_style.ts";
import { principalOfCookie } from "../services/principals.ts";
import { checkIn, drawPoints, timeZone } from "../services/streaks.ts";
import { exchangeOf } from "../middleware/exchange.ts";

const tag = "Snippets";

/** Callers without an account are held to a rate. */
function throttle(call: Call<"optional">, name: "share" | "markdown"): void {
  if (call.principal) return;
  const { limiter } = call.services;
  limiter.assertFree(name, call.ip);
  limiter.hit(name, call.ip);
}

function pagePath(id: string): string {
  return `/s/${id}`;
}

const share = endpoint({
  method: "post",
  path: "/share",
  tag,
  summary: "Share a snippet",
  description: "Up to 256 KiB. userId is kept only when it is the caller's own.",
  access: "optional",
  created: true,
  body: shareRequest,
  data: shareResult,
  extra: shareResult.shape,
  errors: ["PAYLOAD_TOO_LARGE", "RATE_LIMITED"],
  async handle(call) {
    throttle(call, "share");
    const { content, language, userId } = call.body;
    assertSourceSize(content);
    const own = userId && userId === call.principal?.user.id ? userId : undefined;
    // A random id: whoever was not given the link cannot find the snippet by its time.
    const { id } = await call.transact((tx) =>
      tx.insert(snippets, { id: crypto.randomUUID(), content, language, userId: own })
    );
    const result = { id, language, url: pagePath(id) };
    return { data: result, extra: result, message: "The snippet is shared" };
  },
});

async function existing(call: Pick<Call, "store">, id: string): Promise<Snippet> {
  const snippet = await call.store.from(snippets).get(id);
  if (!snippet) throw notFound("snippet");
  return snippet;
}

const details = endpoint({
  method: "get",
  path: "/share/{id}",
  tag,
  summary: "A shared snippet",
  access: "public",
  data: publicSnippet,
  errors: ["NOT_FOUND"],
  async handle(call) {
    const snippet = await existing(call, call.params.id);
    return { data: { ...snippet, url: pagePath(snippet.id) }, etag: snippet.rev };
  },
});

const remove = endpoint({
  method: "delete",
  path: "/share/{id}",
  tag,
  summary: "Remove a shared snippet: one's own, or any with all permissions",
  access: "authenticated",
  data: deleted,
  errors: ["FORBIDDEN", "NOT_FOUND"],
  async handle(call) {
    const { id } = call.params;
    const { user, permissions } = call.principal;
    await call.transact(async (tx) => {
      const snippet = await tx.from(snippets).get(id);
      if (!snippet) throw notFound("snippet");
      if (snippet.userId !== user.id && !permits(permissions, "*")) throw forbidden();
      tx.remove(snippets, snippet);
    });
    return { data: { id }, message: "The snippet is removed" };
  },
});

/**
 * Shared HTML may run scripts, but in an origin of its own: no cookies, no storage, no reading of the API as the
 * visitor. Forms, downloads and leaving for another page of its choice stay off (HTML, section 7.1.5).
 */
const HTML_POLICY = "sandbox allow-scripts";
const STYLE_HASH = createHash("sha256").update(MARKDOWN_STYLE).digest("base64");
const MARKDOWN_POLICY = "sandbox; default-src 'none'; img-src http: https:; " +
  `style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'`;

const shownMarkdown = new WeakMap<Snippet, Promise<string>>();

/** Converted once for as long as the record stays in memory. */
function documentOf(snippet: Snippet): Promise<string> {
  const known = shownMarkdown.get(snippet);
  if (known) return known;
  const made = markdownToHtml(snippet.content);
  shownMarkdown.set(snippet, made);
  made.catch(() => shownMarkdown.delete(snippet));
  return made;
}

const show = endpoint({
  method: "get",
  path: "/s/{id}",
  root: true,
  tag,
  summary: "The page that shows a shared snippet, sandboxed",
  access: "public",
  raw: "text/html",
  errors: ["NOT_FOUND"],
  async handle(call) {
    const snippet = await existing(call, call.params.id);
    const markdown = snippet.language === "markdown";
    return new Response(markdown ? await documentOf(snippet) : snippet.content, {
      headers: {
        ...exchangeOf(call.context).headers,
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": markdown ? MARKDOWN_POLICY : HTML_POLICY,
        "cache-control": "private, no-cache",
        "cross-origin-opener-policy": "same-origin",
        "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=()",
        "referrer-policy": "no-referrer",
        "x-robots-tag": "noindex",
      },
    });
  },
});

const markdown = endpoint({
  method: "post",
  path: "/markdown",
  tag,
  summary: "Convert Markdown to an HTML document",
  description: "GitHub-flavoured, up to 256 KiB. The document holds no script and no handlers.",
  access: "optional",
  // Nothing is created, so a repeated request is simply done again.
  secret: true,
  body: markdownRequest,
  extra: { html: z.string(), markdown: z.string() },
  errors: ["PAYLOAD_TOO_LARGE", "RATE_LIMITED", "UNAVAILABLE"],
  async handle(call) {
    throttle(call, "markdown");
    const { markdown } = call.body;
    const html = await markdownToHtml(markdown);
    return { extra: { html, markdown }, message: "The Markdown is converted" };
  },
});

/** The name ends in `session-token`, after whatever prefix a library or `__Secure-` gives it. */
const SESSION_COOKIE_NAME = /^.+\.session-token$/;
/** Cookies that are tried. */
const MAX_CANDIDATES = 4;

/** The caller by a session cookie: ours first, then any other of such a name. */
async function principalOfCookies(call: Call): Promise<Principal> {
  const cookies = Object.entries(parse(call.context.req.raw.headers.get("cookie") ?? ""))
    .filter(([name, value]) => SESSION_COOKIE_NAME.test(name) && value !== "")
    .sort(([a], [b]) => Number(b.endsWith(SESSION_COOKIE)) - Number(a.endsWith(SESSION_COOKIE)));
  for (const [, value] of cookies.slice(0, MAX_CANDIDATES)) {
    const principal = await principalOfCookie(call.store, value, call.services.clock());
    if (principal) return principal;
  }
  throw new ApiError("UNAUTHORIZED", "Sign in first: the session cookie is missing or invalid");
}

const checkin = endpoint({
  method: "post",
  path: "/checkin",
  tag,
  summary: "Check in for the day: 20 to 50 points",
  description:
    "Needs the cookie quarterdeck.session-token. A day is the local one of tz, an IANA time zone, UTC by default. " +
    "A second check-in on a day answers 409 with the day's result.",
  access: "public",
  secret: true,
  query: checkinQuery,
  data: checkinResult,
  extra: checkinResult.shape,
  errors: ["UNAUTHORIZED", "FORBIDDEN", "CONFLICT"],
  async handle(call) {
    if (isForeign(call.context, call.services.config)) {
      throw forbidden("Cannot check in: the request comes from another site");
    }
    const { id } = (await principalOfCookies(call)).user;
    const zone = timeZone(call.query.tz || "UTC");
    const points = drawPoints();
    const { result, again } = await call.store.transact(
      { ...call.actor, userId: id },
      async (tx) => {
        const before = await tx.from(checkins).get(id);
        const after = checkIn(before, { now: new Date(tx.now), zone, points });
        if (!after) return { result: before!, again: true };
        if (before) tx.update(checkins, before, after);
        else tx.insert(checkins, { id, ...after });
        return { result: after, again: false };
      },
    );
    const { totalPoints, streak } = result;
    const fields = { points: result.points, totalPoints, streak };
    if (again) throw new ApiError("CONFLICT", "You have already checked in today", { fields });
    return { data: fields, extra: fields, message: `You have earned ${points} points` };
  },
});

export const snippetRoutes = [share, details, remove, show, markdown, checkin];
