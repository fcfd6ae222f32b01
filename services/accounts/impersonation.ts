// Acting as another user, to see what they see: by super_admin, for an hour at most, and never unseen.
import { conflict, existing, forbidden } from "../../core/errors.ts";
import { randomToken, sha256 } from "../../core/hashing.ts";
import { HOUR } from "../../core/units.ts";
import { auditLog } from "../../models/audit.ts";
import { SUPER_ADMIN } from "../../models/roles.ts";
import { sessions } from "../../models/sessions.ts";
import { type User, users } from "../../models/users.ts";
import { auditEntry } from "../../storage/audit.ts";
import type { Transaction } from "../../storage/port.ts";
import type { Principal } from "../access/access.ts";
import type { Services, Visitor } from "../services.ts";
import { sessionOf } from "./principals.ts";

/** Milliseconds. */
const LIFETIME = HOUR;

/** What a super_admin acts with. There is no refresh token: it ends when its time is over. */
export interface Impersonation {
  readonly accessToken: string;
  /** Seconds. */
  readonly expiresIn: number;
  readonly user: User;
}

/**
 * Opens a session as another user. It ends with that of the super_admin, and whenever they are one no more.
 *
 * @param transact Runs a plan in the name of the super_admin.
 * @throws {ApiError} FORBIDDEN to who is no super_admin; CONFLICT where it makes no sense; NOT_FOUND.
 */
export async function impersonate(
  { tokens }: Services,
  { ip, userAgent, actor }: Pick<Visitor, "ip" | "userAgent" | "actor">,
  userId: string,
  transact: <R>(plan: (tx: Transaction, principal: Principal) => Promise<R>) => Promise<R>,
): Promise<Impersonation> {
  const { session, user, impersonator } = await transact(async (tx, principal) => {
    const impersonator = principal.user;
    if (impersonator.role !== SUPER_ADMIN) {
      throw forbidden("Only a super_admin acts as another user");
    }
    const user = existing(await tx.from(users).get(userId), "user");
    if (user.id === impersonator.id) throw conflict("You are this user already");
    if (user.role === SUPER_ADMIN) throw forbidden("Nobody acts as a super_admin");
    if (user.status !== "active") {
      throw conflict(`${user.name} is ${user.status}: nobody acts as them`);
    }
    const own = sessionOf(principal);
    const session = tx.insert(sessions, {
      userId,
      refreshJti: crypto.randomUUID(),
      refreshIssuedAt: Math.floor(Date.parse(tx.now) / 1000),
      // The value is thrown away: no cookie opens this session.
      cookieHash: sha256(randomToken()),
      lastUsedAt: tx.now,
      expiresAt: new Date(Date.parse(tx.now) + LIFETIME).toISOString(),
      ip,
      userAgent: userAgent?.slice(0, 256),
      secondFactor: own.secondFactor,
      impersonatorId: impersonator.id,
      impersonatorSessionId: own.id,
    });
    const act = { action: "impersonate", target: users.name, targetId: user.id };
    tx.insert(auditLog, auditEntry(actor, { ...act, targetName: user.name }));
    return { session, user, impersonator };
  });
  const expiresIn = LIFETIME / 1000;
  const accessToken = await tokens.sign("access", {
    userId,
    sid: session.id,
    jti: `${session.refreshJti}.i`,
    issuedAt: session.refreshIssuedAt,
    lifetime: expiresIn,
    actingFor: impersonator.id,
  });
  return { accessToken, expiresIn, user };
}
