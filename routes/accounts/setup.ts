// The first run: naming the administrator, from the machine that the server runs on.
import type { Context } from "hono";
import { z } from "zod";
import type { Settings } from "../../config/settings.ts";
import { isLoopback } from "../../core/addresses.ts";
import { forbidden } from "../../core/errors.ts";
import { addressAsked } from "../../http/address.ts";
import { endpoint } from "../../http/endpoint.ts";
import { isForeign } from "../../http/origin.ts";
import { visitorOf } from "../../http/visitor.ts";
import { refreshCookieQuery, signedInOrChallenged } from "../../models/auth.ts";
import { setupRequest } from "../../models/users.ts";
import { hashNewPassword, newPasswordProblems } from "../../services/accounts/accounts.ts";
import { openSession } from "../../services/accounts/authentication.ts";
import { awaitsSetup, planSetup } from "../../services/accounts/setup.ts";
import { opened, signedInOnTop } from "./auth.ts";

const tag = "Authentication";

/** Headers of which a proxy sends at least one, or the request came through none. */
const FORWARDED = [
  "forwarded",
  "via",
  "x-real-ip",
  "x-client-ip",
  "true-client-ip",
  "cf-connecting-ip",
];

const show = endpoint({
  operationId: "getSetup",
  method: "get",
  path: "/setup",
  tag,
  summary: "Whether whoever asks may name the administrator",
  access: "public",
  data: z.object({ needed: z.boolean() }).meta({ id: "Setup" }),
  async handle({ context, ip, services: { store, settings } }) {
    return {
      data: { needed: isHere(context, ip, settings) && await awaitsSetup(store, settings) },
    };
  },
});

const setUp = endpoint({
  operationId: "setUp",
  method: "post",
  path: "/setup",
  tag,
  summary: "Name the administrator and sign in",
  description:
    "While there is none, and neither ADMIN_EMAIL nor ADMIN_PASSWORD is set; from the machine that the server runs on " +
    "alone, outside production. It answers as logging in does.",
  access: "public",
  secret: true,
  limits: { network: ["setup"] },
  query: refreshCookieQuery,
  body: setupRequest,
  problems: (body, { variant }) => newPasswordProblems(body, { confirm: variant.confirmPassword }),
  data: signedInOrChallenged,
  extra: signedInOnTop,
  errors: ["FORBIDDEN", "CONFLICT", "RATE_LIMITED"],
  async handle(call) {
    const { context, ip, body, services: { settings, limiter } } = call;
    if (!isHere(context, ip, settings)) {
      throw forbidden("The administrator is named from the machine that the server runs on");
    }
    limiter.take("setup", { address: ip });
    const { name, email, password, confirmPassword } = body;
    const passwordHash = await hashNewPassword(password, { confirm: confirmPassword });
    const user = await call.transact((tx) =>
      planSetup(tx, settings, { name, email, passwordHash })
    );
    return opened(call, await openSession(visitorOf(call), user));
  },
});

/** Whether a request comes from this machine, to this machine by name, through no proxy and from no other site's page. */
function isHere(c: Context, ip: string, settings: Settings): boolean {
  const headers = [...c.req.raw.headers.keys()];
  const forwarded = headers.some((name) =>
    name.startsWith("x-forwarded") || FORWARDED.includes(name)
  );
  return isLoopback(ip) && isLoopback(addressAsked(c).hostname) && !forwarded &&
    !isForeign(c, settings);
}

export const setupRoutes = [show, setUp];
