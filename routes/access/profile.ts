// One's own profile: seen and changed by whoever is signed in.
import { visitorOf } from "../../http/visitor.ts";
import { assertMatch } from "../../http/conditional.ts";
import { type Call, type Endpoint, endpoint } from "../../http/endpoint.ts";
import { existing, invalid } from "../../core/errors.ts";
import { patchOf } from "../../models/requests.ts";
import { ownUpdate, publicUser, users } from "../../models/users.ts";
import type { Principal } from "../../services/access/access.ts";
import { provePassword, wrongPassword } from "../../services/accounts/authentication.ts";
import {
  planEmailChange,
  requestEmailChange,
  tellAddressBefore,
} from "../../services/accounts/verification.ts";
import { roleOf, userVersion, userView } from "../../services/access/users.ts";
import { shown } from "./users.ts";

const tag = "Users";

/** The same route under two paths, as clients use either. */
const [me, authMe] = (["/users/me", "/auth/me"] as const).map((path) =>
  endpoint({
    method: "get",
    path,
    tag,
    summary: "The current user",
    access: "authenticated",
    data: publicUser,
    handle: ({ principal: { user, role } }) => ({
      data: userView(user, role),
      etag: userVersion(user, role),
    }),
  })
) as [Endpoint, Endpoint];

const updateMe = endpoint({
  method: "put",
  path: "/users/me",
  tag,
  summary: "Change one's own profile",
  description:
    "Never the role, the status or the permissions. Another e-mail needs `currentPassword`; it counts once it is " +
    "confirmed by the link that is mailed there, and the address before is told. The answer is the same whether an " +
    "account has the new address or not.",
  access: "authenticated",
  body: ownUpdate,
  data: publicUser,
  errors: ["CONFLICT", "PRECONDITION_FAILED", "RATE_LIMITED"],
  async handle(call) {
    const { email, currentPassword, ...profile } = call.body;
    const { user: known } = call.principal;
    const asked = email !== undefined && email !== known.email ? email : null;
    if (asked !== null) await allowEmailChange(call, currentPassword);
    const confirmed = call.services.settings.emailVerification;
    const { before, user } = await call.transact(async (tx) => {
      const before = existing(await tx.from(users).get(known.id), "user");
      assertMatch(call, userVersion(before, await roleOf(tx, before)));
      const user = tx.update(users, before, patchOf(profile));
      if (asked === null || confirmed) return { before, user };
      // If the password was changed since it was proven, the proof no longer counts.
      if (before.passwordHash !== known.passwordHash) throw wrongPassword();
      return { before, user: await planEmailChange(tx, user, asked) };
    });
    const answer = await shown(call.store, user);
    if (asked === null) return { ...answer, message: "Your profile is saved" };
    if (!confirmed) {
      tellAddressBefore(call.services, before, asked);
      return { ...answer, message: "Your profile is saved, with the new address" };
    }
    requestEmailChange(visitorOf(call), known, asked);
    return {
      ...answer,
      message:
        `Your profile is saved. The address changes when you open the link mailed to ${asked}`,
    };
  },
});

/**
 * Allows a change of one's own address only with the current password and within the limit of mails.
 *
 * @throws {ApiError} VALIDATION_ERROR, RATE_LIMITED
 */
async function allowEmailChange(
  call: Pick<Call, "services" | "ip"> & { readonly principal: Principal },
  currentPassword: string | undefined,
): Promise<void> {
  if (currentPassword === undefined) {
    throw invalid("currentPassword", "Your current password is needed to change your e-mail");
  }
  const { limiter } = call.services;
  const sender = { account: call.principal.user.id };
  limiter.assertFree("addressMail", sender);
  await provePassword(call, currentPassword);
  limiter.take("addressMail", sender);
}

export const profileRoutes = [me, authMe, updateMe];
