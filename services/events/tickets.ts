// Tickets: what a browser's EventSource, which sends no header, opens a stream with. Each is good once, for half a minute.
import { ApiError } from "../../core/errors.ts";
import { randomToken } from "../../core/hashing.ts";
import { createSealer, type Sealer } from "../../core/sealing.ts";
import { SECOND } from "../../core/units.ts";
import type { ApiKey } from "../../models/api_keys.ts";
import { usedChallenges } from "../../models/passkeys.ts";
import type { Session } from "../../models/sessions.ts";
import type { Principal } from "../access/access.ts";
import { assertUsable } from "../accounts/api_keys.ts";
import { principalInPlan } from "../accounts/principals.ts";
import type { Services } from "../services.ts";

/** Milliseconds that a ticket is good for. */
export const TICKET_LIFETIME = 30 * SECOND;

/** What a ticket holds, sealed. */
interface Ticket {
  readonly id: string;
  readonly userId: string;
  readonly sessionId?: string;
  readonly keyId?: string;
  /** ISO 8601. */
  readonly until: string;
}

/** Longer texts are no tickets. */
const MAX_LENGTH = 1000;

const sealers = new Map<string, Sealer>();

function sealerOf({ settings: { secrets } }: Services): Sealer {
  let sealer = sealers.get(secrets.access);
  if (!sealer) sealers.set(secrets.access, sealer = createSealer(secrets.access, "event tickets"));
  return sealer;
}

/** A ticket for a caller; it stands for their session or key. */
export function issueTicket(services: Services, { user, session, key }: Principal): string {
  const ticket: Ticket = {
    id: randomToken(),
    userId: user.id,
    sessionId: session?.id,
    keyId: key?.id,
    until: new Date(services.clock().getTime() + TICKET_LIFETIME).toISOString(),
  };
  const sealed = sealerOf(services).seal(JSON.stringify(ticket));
  return sealed.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * The caller that a ticket stands for.
 *
 * @param ip Of the client: an API key may be for some addresses alone.
 * @throws {ApiError} UNAUTHORIZED for one that is none, has expired or was used, and where the session or key has ended.
 */
export async function redeemTicket(
  services: Services,
  text: string,
  ip: string,
): Promise<Principal> {
  const { store, clock } = services;
  const now = clock().toISOString();
  const opened = text.length <= MAX_LENGTH ? sealerOf(services).open(text) : null;
  const ticket: Ticket | null = opened === null ? null : JSON.parse(opened);
  if (ticket === null || ticket.until <= now) throw refused();
  const { userId, sessionId, keyId } = ticket;
  return await store.transact({ userId }, async (tx) => {
    const id = `ticket-${ticket.id}`;
    if (await tx.from(usedChallenges).get(id)) throw refused();
    const principal = await principalInPlan(tx, {
      session: sessionId === undefined ? null : { id: sessionId, userId } as Session,
      key: keyId === undefined ? null : { id: keyId } as ApiKey,
    } as Principal);
    if (principal?.user.id !== userId) throw refused();
    if (principal.session && principal.session.expiresAt <= now) throw refused();
    if (principal.key) assertUsable(principal.key, now, ip);
    tx.insert(usedChallenges, { id, expiresAt: ticket.until });
    return principal;
  });
}

function refused(): ApiError {
  return new ApiError("UNAUTHORIZED", "The ticket is not good any more: ask for another one");
}
