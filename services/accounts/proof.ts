// The current password as a proof of who asks.
import { type ApiError, invalid } from "../../core/errors.ts";
import type { User } from "../../models/users.ts";
import type { Principal } from "../access/access.ts";
import type { Services, Visitor } from "../services.ts";
import { verifyPassword } from "./passwords.ts";
import { sessionOf } from "./principals.ts";
import type { Caller } from "./rate_limits.ts";

/** The field of a request that holds the password, and what people call it. */
const FIELDS = { currentPassword: "current password", password: "password" } as const;
type Field = keyof typeof FIELDS;

/**
 * Holds a signed-in user to the current password. The session counts as a known device, so that failures of strangers
 * do not block the user.
 *
 * @throws {ApiError} VALIDATION_ERROR for `currentPassword`; RATE_LIMITED.
 */
export async function proveCaller(
  { services, ip, principal }: Pick<Visitor, "services" | "ip"> & {
    readonly principal: Principal;
  },
  password: string,
): Promise<void> {
  const { user } = principal;
  const caller = { address: ip, account: user.email, device: sessionOf(principal).id };
  await prove(services, caller, user, password, "currentPassword");
}

/**
 * Holds whoever opens a mailed link to the password of its account.
 *
 * @throws {ApiError} VALIDATION_ERROR for `password`; RATE_LIMITED.
 */
export async function proveHolder(
  { services, ip }: Pick<Visitor, "services" | "ip">,
  user: User,
  password: string,
): Promise<void> {
  await prove(services, { address: ip, account: user.email }, user, password, "password");
}

/** Only failures count, against the limits of signing in. */
async function prove(
  { limiter }: Services,
  caller: Caller,
  { passwordHash }: User,
  password: string,
  field: Field,
): Promise<void> {
  const proven = await limiter.attempt(
    "login",
    caller,
    async () => await verifyPassword(password, passwordHash) || null,
  );
  if (!proven) throw wrongPassword(field);
}

export function wrongPassword(field: Field = "currentPassword"): ApiError {
  return invalid(field, `The ${FIELDS[field]} is wrong`);
}
