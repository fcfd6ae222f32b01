// Signing in by a provider of OpenID Connect, and the identities that users sign in by.
import { getCookie } from "hono/cookie";
import { z } from "zod";
import type { Settings } from "../../config/settings.ts";
import { ApiError } from "../../core/errors.ts";
import { randomToken } from "../../core/hashing.ts";
import { SECOND } from "../../core/units.ts";
import { PROVIDER_COOKIE, providerCookie } from "../../http/cookies.ts";
import { type Call, endpoint } from "../../http/endpoint.ts";
import { exchangeOf } from "../../http/exchange.ts";
import { visitorOf } from "../../http/visitor.ts";
import { challenged, refreshCookieQuery, signedInOrChallenged } from "../../models/auth.ts";
import {
  identities,
  type Identity,
  providerCode,
  providerSignInQuery,
  publicIdentity,
  publicProvider,
} from "../../models/identities.ts";
import { deleted } from "../../models/requests.ts";
import {
  planLink,
  planUnlink,
  tellOfLink,
  tellOfUnlink,
} from "../../services/accounts/identities.ts";
import {
  type Flow,
  FLOW_LIFETIME,
  openCode,
  openFlow,
  sealCode,
  sealFlow,
} from "../../services/accounts/provider_codes.ts";
import { signInByProvider } from "../../services/accounts/provider_sign_in.ts";
import { localPath } from "../../services/accounts/redirects.ts";
import { MAX_IDENTITIES, providerOf } from "../../services/accounts/ways.ts";
import { opened, signedInOnTop } from "./auth.ts";

const tag = "Providers";

/** Why the browser comes back without a code. */
type Problem = "denied" | "failed" | "unavailable";

/** Sends the browser on. @param cookies Set-Cookie values. */
function onward({ context }: Pick<Call, "context">, to: URL, cookies: readonly string[] = []) {
  const headers = new Headers({
    ...exchangeOf(context).headers,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    location: to.href,
  });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
}

/** Where a sign-in leads back to: a page of the application, or of this server. */
function placeOf(
  { frontendUrl }: Settings,
  provider: string,
  outcome: { readonly code: string; readonly redirect?: string } | { readonly error: Problem },
): URL {
  const query = new URLSearchParams({ provider, ...outcome });
  return new URL(`${frontendUrl}/oidc?${query}`);
}

/** What stays in the browser of a sign-in that it began. */
const flowOf = ({ context }: Pick<Call, "context">) => getCookie(context, PROVIDER_COOKIE);

const list = endpoint({
  operationId: "listProviders",
  method: "get",
  path: "/auth/providers",
  tag,
  summary: "The providers that people may sign in by",
  access: "public",
  data: z.array(publicProvider),
  handle: ({ services: { settings } }) => ({
    data: settings.providers.map(({ name, label }) => ({ name, label })),
  }),
});

const begin = endpoint({
  operationId: "signInByProvider",
  method: "get",
  path: "/auth/oidc/{provider}",
  tag,
  summary: "Sign in by a provider: sends the browser there",
  description:
    "For a browser to open, not to fetch. It comes back to FRONTEND_URL/oidc with `provider` and a `code` for " +
    "POST /auth/oidc/exchange or POST /auth/oidc/link, and the `redirect` that was asked for; or with an `error`: " +
    "denied, failed or unavailable. The code is " +
    "for the browser alone that began: it is exchanged with the cookie of this answer or, where that does not reach " +
    "the application, with the `codeVerifier` of the `codeChallenge` (RFC 7636, S256).",
  access: "public",
  secret: true,
  query: providerSignInQuery,
  redirects: true,
  errors: ["NOT_FOUND", "UNAVAILABLE"],
  async handle(call) {
    const { services: { settings, clock, providers }, context, query } = call;
    const { provider: name } = call.params;
    const provider = providers.named(name);
    const flow: Flow = {
      provider: name,
      state: randomToken(),
      nonce: randomToken(),
      verifier: randomToken(),
      fresh: query.fresh === "true" || undefined,
      challenge: query.codeChallenge,
      back: localPath(query.redirect) ?? undefined,
    };
    try {
      const to = await provider.begin(flow);
      const sealed = sealFlow(settings, flow, clock());
      return onward(call, to, [providerCookie(context, settings, sealed, FLOW_LIFETIME / SECOND)]);
    } catch (error) {
      const person = context.req.header("accept")?.includes("text/html");
      if (!person || !isUnavailable(error)) throw error;
      return onward(call, placeOf(settings, name, { error: "unavailable" }));
    }
  },
});

const callback = endpoint({
  operationId: "finishSignInByProvider",
  method: "get",
  path: "/auth/oidc/{provider}/callback",
  tag,
  summary: "Where a provider sends the browser back to",
  description: "The address to register with the provider, below PUBLIC_URL.",
  access: "public",
  secret: true,
  redirects: true,
  errors: ["NOT_FOUND", "RATE_LIMITED"],
  async handle(call) {
    const { services: { settings, limiter, clock, providers }, context, ip } = call;
    const { provider: name } = call.params;
    const provider = providers.named(name);
    const flow = openFlow(settings, flowOf(call), clock());
    const problem = (error: Problem) => onward(call, placeOf(settings, name, { error }));
    if (flow?.provider !== name) return problem("failed");
    try {
      const { search } = new URL(context.req.url);
      const answer = await limiter.attempt("providerAnswer", { address: ip }, async () => {
        const answer = await provider.finish(search, flow);
        return answer === "failed" ? null : answer;
      });
      if (answer === null) return problem("failed");
      if (answer === "denied") return problem("denied");
      const { state, challenge, back } = flow;
      const proven = { provider: name, state, challenge, claims: answer };
      const code = sealCode(settings, proven, clock());
      return onward(call, placeOf(settings, name, { code, ...(back ? { redirect: back } : {}) }));
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      return problem("unavailable");
    }
  },
});

function isUnavailable(error: unknown): boolean {
  return error instanceof ApiError && error.code === "UNAVAILABLE";
}

const exchange = endpoint({
  operationId: "exchangeProviderCode",
  method: "post",
  path: "/auth/oidc/exchange",
  tag,
  summary: "Sign in with the code of a provider's sign-in",
  description:
    "A first sign-in makes an account where the provider may. An account with a second factor is answered with a " +
    "challenge, unless the provider says that one was given there.",
  access: "public",
  secret: true,
  query: refreshCookieQuery,
  body: providerCode,
  data: signedInOrChallenged,
  extra: { ...signedInOnTop, ...challenged.shape },
  errors: ["UNAUTHORIZED", "FORBIDDEN", "CONFLICT", "RATE_LIMITED", "UNAVAILABLE"],
  async handle(call) {
    const { services: { settings, clock }, context, body } = call;
    const proven = openCode(settings, { ...body, flow: flowOf(call) }, clock());
    const answer = opened(call, await signInByProvider(visitorOf(call), proven));
    const cookies = [...answer.cookies ?? [], providerCookie(context, settings, "", 0)];
    return { ...answer, cookies };
  },
});

const link = endpoint({
  operationId: "linkIdentity",
  method: "post",
  path: "/auth/oidc/link",
  tag,
  summary: "Sign in by an identity at a provider from now on",
  description: "With the code of a provider's sign-in, of an account that is no other user's.",
  access: "authenticated",
  ownSession: true,
  stepUp: true,
  secret: true,
  created: true,
  body: providerCode,
  data: publicIdentity,
  errors: ["CONFLICT", "FORBIDDEN"],
  async handle(call) {
    const { services, context, body } = call;
    const { settings, clock } = services;
    const { user } = call.principal;
    const proven = openCode(settings, { ...body, flow: flowOf(call) }, clock());
    const { identity, fresh } = await call.transact((tx) => planLink(tx, settings, user, proven));
    if (fresh) tellOfLink(services, user, identity.issuer);
    return {
      data: identityView(settings, identity),
      cookies: [providerCookie(context, settings, "", 0)],
    };
  },
});

const listIdentities = endpoint({
  operationId: "listIdentities",
  method: "get",
  path: "/auth/identities",
  tag,
  summary: "The identities at providers that one signs in by",
  access: "authenticated",
  ownSession: true,
  data: z.array(publicIdentity),
  async handle({ store, principal: { user }, services: { settings } }) {
    const { rows } = await store.from(identities).list({
      where: { userId: user.id },
      limit: MAX_IDENTITIES,
    });
    return { data: rows.map((one) => identityView(settings, one)) };
  },
});

const unlink = endpoint({
  operationId: "deleteIdentity",
  method: "delete",
  path: "/auth/identities/{id}",
  tag,
  summary: "Sign in by an identity no more",
  description: "Not the last way to sign in. Sessions go on.",
  access: "authenticated",
  ownSession: true,
  stepUp: true,
  data: deleted,
  errors: ["NOT_FOUND", "CONFLICT"],
  async handle(call) {
    const { services, principal: { user }, params: { id } } = call;
    const { issuer } = await call.transact((tx) => planUnlink(tx, services.settings, user, id));
    tellOfUnlink(services, user, issuer);
    return { data: { id }, message: "You sign in by it no more" };
  },
});

function identityView(
  settings: Settings,
  { id, issuer, email, createdAt }: Identity,
): z.input<typeof publicIdentity> {
  const provider = providerOf(settings, issuer);
  return { id, issuer, provider: provider?.name, label: provider?.label, email, createdAt };
}

export const providerRoutes = [list, begin, callback, exchange];
export const identityRoutes = [link, listIdentities, unlink];
