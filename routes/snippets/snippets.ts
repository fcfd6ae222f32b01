// Snippets: sharing, listing and removing them, Markdown, and the daily check-in.
import { parse } from "hono/utils/cookie";
import { z } from "zod";
import { SESSION_COOKIE } from "../../http/cookies.ts";
import { type Call, endpoint } from "../../http/endpoint.ts";
import { ApiError, existing, forbidden } from "../../core/errors.ts";
import { JsonText } from "../../core/json.ts";
import { personIn } from "../../http/references.ts";
import { zoneOf } from "../../http/zone.ts";
import { isForeign } from "../../http/origin.ts";
import { deleted } from "../../models/requests.ts";
import {
  checkinQuery,
  checkinResult,
  checkins,
  markdownRequest,
  MAX_SOURCE_BYTES,
  publicSnippet,
  shareRequest,
  shareResult,
  type Snippet,
  snippetListQuery,
  snippets,
  snippetSummary,
} from "../../models/snippets.ts";
import { permits, type Principal } from "../../services/access/access.ts";
import {
  assertSourceSize,
  convertMarkdown,
  sourceBytes,
} from "../../services/snippets/markdown.ts";
import { expiryOf, findSnippet, keepSnippet } from "../../services/snippets/snippets.ts";
import { principalOfCookie } from "../../services/accounts/principals.ts";
import { checkIn, drawPoints } from "../../services/snippets/streaks.ts";
import { listing, pagination } from "../../http/lists.ts";
import type { Services } from "../../services/services.ts";
import type { Store, Where } from "../../storage/port.ts";
import { KIB } from "../../core/units.ts";

const tag = "Snippets";

/** Counts against a limit per account for callers who are signed in, and per network for all others. */
function throttle(call: Call<"optional">, name: "share" | "markdown", hits = 1): void {
  const { limiter } = call.services;
  const [limit, caller] = call.principal
    ? [ownLimits[name], { account: call.principal.user.id }] as const
    : [name, { address: call.ip }] as const;
  limiter.assertFree(limit, caller);
  for (let i = 0; i < hits; i++) limiter.hit(limit, caller);
}

const ownLimits = { share: "ownShare", markdown: "ownMarkdown" } as const;

function pageUrl({ settings }: Services, id: string): string {
  return `${settings.snippets.origin ?? ""}/s/${id}`;
}

/** Bytes of a JSON body with a source, when each of its characters is escaped or takes three bytes. */
const SOURCE_LIMIT = 3 * MAX_SOURCE_BYTES + KIB;

const share = endpoint({
  operationId: "createSnippet",
  method: "post",
  path: "/share",
  tag,
  summary: "Share a snippet",
  description:
    "Up to 256 KiB. userId is kept only when it is the caller's own. What a caller without an account " +
    "shares is removed after SNIPPET_DAYS; one's own counts against SNIPPET_QUOTA.",
  access: "optional",
  // People need no permission for their own; a program that was not made for snippets leaves them alone.
  scope: "snippets:create",
  created: true,
  limits: { network: ["share", "shareByDay"], account: ["ownShare"] },
  body: shareRequest,
  bodyLimit: SOURCE_LIMIT,
  data: shareResult,
  extra: shareResult.shape,
  errors: ["PAYLOAD_TOO_LARGE", "RATE_LIMITED"],
  // Those of one owner are stored in turn.
  commits: "apart",
  async handle(call) {
    const { services, store, principal } = call;
    throttle(call, "share");
    if (!principal) services.limiter.take("shareByDay", { address: call.ip });
    const { content, language } = call.body;
    assertSourceSize(content);
    const userId = principal?.user.id;
    const unnamed = userId !== undefined && call.body.userId !== userId ? true : undefined;
    const { id } = await keepSnippet({ content, language, userId, unnamed }, {
      store,
      transact: (plan) => call.transact(plan),
      quota: services.settings.snippets.quota,
    });
    const result = { id, language, url: pageUrl(services, id) };
    return { data: result, extra: result, message: "The snippet is shared" };
  },
});

/** Whether the caller may see or remove what anyone has shared: by `snippets:` and the action, or by `documents:*`. */
function moderates({ permissions }: Principal, action: "view" | "delete"): boolean {
  return permits(permissions, `snippets:${action}`) || permits(permissions, "documents:*");
}

const list = endpoint({
  operationId: "listSnippets",
  method: "get",
  path: "/share",
  tag,
  summary: "List snippets, without their content",
  description:
    "One's own; all of them with snippets:view or documents:*. anonymous=true: those without an owner.",
  access: "authenticated",
  scope: "snippets:view",
  query: snippetListQuery,
  include: { owner: personIn("userId") },
  list: true,
  data: z.array(snippetSummary),
  async handle(call) {
    const { anonymous, where } = call.query;
    const { settings } = call.services;
    const paging = listing<Snippet>(call.query);
    const seen = moderates(call.principal, "view") ? {} : { userId: call.principal.user.id };
    const owned: Where<Snippet> = anonymous === undefined
      ? {}
      : { userId: anonymous ? null : { ne: null } };
    const page = await call.store.from(snippets).list({
      ...paging,
      where: { all: [where, owned, seen] },
    });
    const rows = page.rows.map((snippet) => ({
      ...snippet,
      url: pageUrl(call.services, snippet.id),
      anonymous: snippet.userId === undefined,
      size: snippet.size ?? sourceBytes(snippet.content),
      expiresAt: expiryOf(snippet, settings.snippets.days),
    }));
    return { data: rows, pagination: pagination(paging, page) };
  },
});

const details = endpoint({
  operationId: "getSnippet",
  method: "get",
  path: "/share/{id}",
  tag,
  summary: "A shared snippet",
  access: "public",
  data: publicSnippet,
  errors: ["NOT_FOUND"],
  async handle(call) {
    const { settings, clock } = call.services;
    const { days } = settings.snippets;
    const snippet = existing(
      await findSnippet(call.store, call.params.id, { days, now: clock() }),
      "snippet",
    );
    const userId = snippet.unnamed ? undefined : snippet.userId;
    return {
      data: { ...snippet, userId, url: pageUrl(call.services, snippet.id) },
      etag: snippet.rev,
    };
  },
});

const remove = endpoint({
  operationId: "deleteSnippet",
  method: "delete",
  path: "/share/{id}",
  tag,
  summary: "Remove a shared snippet: one's own, or any with snippets:delete or documents:*",
  access: "authenticated",
  scope: "snippets:delete",
  data: deleted,
  errors: ["FORBIDDEN", "NOT_FOUND"],
  async handle(call) {
    const { id } = call.params;
    await call.transact(async (tx) => {
      const { principal } = call;
      const snippet = existing(await tx.from(snippets).get(id), "snippet");
      const own = snippet.userId === principal.user.id;
      if (!own && !moderates(principal, "delete")) throw forbidden();
      tx.remove(snippets, snippet);
    });
    return { data: { id }, message: "The snippet is removed" };
  },
});

/** Characters of Markdown that count as one request against the rate limit. */
const COUNTED_AS_ONE = 32 * KIB;

const markdown = endpoint({
  operationId: "convertMarkdown",
  method: "post",
  path: "/markdown",
  tag,
  summary: "Convert Markdown to an HTML document",
  description: "GitHub-flavoured, up to 256 KiB. The document holds no script and no handlers.",
  access: "optional",
  // Nothing is created, so a repeated request is simply done again.
  secret: true,
  limits: { network: ["markdown"], account: ["ownMarkdown"] },
  body: markdownRequest,
  bodyLimit: SOURCE_LIMIT,
  extra: { html: z.string(), markdown: z.string() },
  errors: ["PAYLOAD_TOO_LARGE", "RATE_LIMITED", "UNAVAILABLE"],
  commits: "never",
  async handle(call) {
    const { markdown } = call.body;
    assertSourceSize(markdown);
    throttle(call, "markdown", Math.max(1, Math.ceil(markdown.length / COUNTED_AS_ONE)));
    const html = new JsonText(new TextDecoder().decode(await convertMarkdown(markdown, "json")));
    return { extra: { html, markdown }, message: "The Markdown is converted" };
  },
});

/** The name ends in `session-token`, after whatever prefix a library or `__Secure-` gives it. */
const SESSION_COOKIE_NAME = /^.+\.session-token$/;
/** The most cookies of one request that are looked up. */
const MAX_CANDIDATES = 4;

/** The caller by a session cookie: our own is tried first, then others whose name ends in `session-token`. */
async function principalOfCookies(
  call: Pick<Call, "context" | "services">,
  source: Pick<Store, "from">,
): Promise<Principal> {
  const cookies = Object.entries(parse(call.context.req.raw.headers.get("cookie") ?? ""))
    .filter(([name, value]) => SESSION_COOKIE_NAME.test(name) && value !== "")
    .sort(([a], [b]) => Number(b.endsWith(SESSION_COOKIE)) - Number(a.endsWith(SESSION_COOKIE)));
  for (const [, value] of cookies.slice(0, MAX_CANDIDATES)) {
    const principal = await principalOfCookie(source, value, call.services.clock());
    if (principal) return principal;
  }
  throw new ApiError("UNAUTHORIZED", "Sign in first: the session cookie is missing or invalid");
}

const checkin = endpoint({
  operationId: "checkIn",
  method: "post",
  path: "/checkin",
  tag,
  summary: "Check in for the day: 20 to 50 points",
  description:
    "Needs the cookie quarterdeck.session-token. A day is the local one of tz, an IANA time zone, by default the user's own. " +
    "A second check-in on a day answers 409 with the day's result.",
  access: "public",
  secret: true,
  query: checkinQuery,
  data: checkinResult,
  extra: checkinResult.shape,
  errors: ["UNAUTHORIZED", "FORBIDDEN", "CONFLICT"],
  async handle(call) {
    if (isForeign(call.context, call.services.settings)) {
      throw forbidden("Cannot check in: the request comes from another site");
    }
    const principal = await principalOfCookies(call, call.store);
    const { id } = principal.user;
    const zone = zoneOf({ query: call.query, principal });
    const points = drawPoints();
    const { result, again } = await call.store.transact(
      { ...call.actor, userId: id },
      async (tx) => {
        await principalOfCookies(call, tx);
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

export const snippetRoutes = [share, list, details, remove, markdown, checkin];
