// One's own profile: seen and changed by whoever is signed in.
import { visitorOf } from "../../http/visitor.ts";
import { assertMatch } from "../../http/conditional.ts";
import { type Call, type Endpoint, endpoint } from "../../http/endpoint.ts";
import { existing, invalid } from "../../core/errors.ts";
import { patchOf } from "../../models/requests.ts";
import { ownUpdate, publicUser, type User, users } from "../../models/users.ts";
import type { Principal } from "../../services/access/access.ts";
import { type Transaction, UniqueConflict } from "../../storage/port.ts";
import { proveCaller, wrongPassword } from "../../services/accounts/proof.ts";
import {
  planEmailChange,
  requestEmailChange,
  tellAddressBefore,
} from "../../services/accounts/verification.ts";
import { planZoneMoves } from "../../services/calendar/reminders.ts";
import { roleOf, userVersion, userView } from "../../services/access/users.ts";
import { shown } from "./users.ts";
import { KIB } from "../../core/units.ts";

const tag = "Users";

/** The same route under two paths, as clients use either. */
const [me, authMe] = ([
  ["/users/me", "getCurrentUser"],
  ["/auth/me", "getSignedInUser"],
] as const).map(([path, operationId]) =>
  endpoint({
    operationId,
    method: "get",
    path,
    tag,
    summary: "The current user",
    access: "authenticated",
    beforeSecondFactor: true,
    data: publicUser,
    handle({ principal: { user, role } }) {
      const { json, version } = userView(user, role);
      return { data: json, etag: version };
    },
  })
) as [Endpoint, Endpoint];

const updateMe = endpoint({
  operationId: "updateCurrentUser",
  method: "put",
  path: "/users/me",
  tag,
  summary: "Change one's own profile",
  description:
    "Never the role, the status or the permissions. Another e-mail needs `currentPassword`; it counts once it is " +
    "confirmed by the link that is mailed there, and the address before is told. The answer is the same whether an " +
    "account has the new address or not.",
  access: "authenticated",
  ownSession: true,
  body: ownUpdate,
  bodyLimit: 64 * KIB,
  data: publicUser,
  errors: ["CONFLICT", "PRECONDITION_FAILED", "RATE_LIMITED"],
  async handle(call) {
    const { email, currentPassword, ...profile } = call.body;
    const { user: known } = call.principal;
    const asked = email !== undefined && email !== known.email ? email : null;
    if (asked !== null) await allowEmailChange(call, currentPassword);
    const confirmed = call.services.settings.emailVerification;
    const moved = confirmed ? null : asked;
    const save = () => call.transact((tx) => planOwnUpdate(tx, call, patchOf(profile), moved));
    const asksForName = moved !== null || (profile.username ?? known.username) !== known.username;
    const { before, user } = asksForName ? await withoutProbing(call, save) : await save();
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
 * Plans what a user changes of their own.
 *
 * @param email The address that counts from now on; null: it stays.
 * @throws {ApiError} PRECONDITION_FAILED, VALIDATION_ERROR
 */
async function planOwnUpdate(
  tx: Transaction,
  call: Pick<Call, "context"> & { readonly principal: Principal },
  patch: Partial<User>,
  email: string | null,
): Promise<{ before: User; user: User }> {
  const { user: known } = call.principal;
  const before = existing(await tx.from(users).get(known.id), "user");
  assertMatch(call, userVersion(before, await roleOf(tx, before)));
  const user = tx.update(users, before, patch);
  if (user.timeZone !== before.timeZone) await planZoneMoves(tx, [user]);
  if (email === null) return { before, user };
  // If the password was changed since it was proven, the proof no longer counts.
  if (before.passwordHash !== known.passwordHash) throw wrongPassword();
  return { before, user: await planEmailChange(tx, user, email) };
}

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
  await proveCaller(call, currentPassword);
  limiter.take("addressMail", sender);
}

/**
 * Saves names that others may have. Whoever has asked for too many that are taken waits, since each such answer tells
 * that there is an account.
 *
 * @throws {UniqueConflict} The name is taken.
 * @throws {ApiError} RATE_LIMITED
 */
async function withoutProbing<R extends object>(
  call: Pick<Call, "services"> & { readonly principal: Principal },
  save: () => Promise<R>,
): Promise<R> {
  let taken: UniqueConflict | null = null;
  const caller = { account: call.principal.user.id };
  const saved = await call.services.limiter.attempt("takenName", caller, async () => {
    try {
      return await save();
    } catch (thrown) {
      if (!(thrown instanceof UniqueConflict)) throw thrown;
      taken = thrown;
      return null;
    }
  });
  if (saved === null) throw taken;
  return saved;
}

export const profileRoutes = [me, authMe, updateMe];
