// Removes accounts that registered themselves and came to nothing: an address that nobody confirmed, and no use since.
import type { Settings } from "../../config/settings.ts";
import { delay } from "../../core/delay.ts";
import { DAY } from "../../core/units.ts";
import { type EmailLink, emailLinks, sessions } from "../../models/sessions.ts";
import { type User, users } from "../../models/users.ts";
import { Piece } from "../../storage/pieces.ts";
import type { Store, Transaction, Where } from "../../storage/port.ts";
import { heirsOf } from "../access/heirs.ts";
import { planUserPiece } from "../content/cascades.ts";
import { ownsRecords } from "../quotas/owned_records.ts";
import { isUnverified } from "./verification.ts";

interface Site {
  readonly store: Store;
  readonly settings: Settings;
}

const server = { userId: null };
/** Links per commit. */
const BATCH = 50;

/**
 * Removes links that have expired. The expired link of an account that waits for its proof stays, for by it the account
 * is found without a look at all others; it goes with the account, once nobody has used that for so many days.
 */
export async function sweepEmailLinks(site: Site, now: Date): Promise<void> {
  const before = new Date(now.getTime() - daysOf(site.settings) * DAY).toISOString();
  const where: Where<EmailLink> = { expiresAt: { lt: before } };
  let cursor: string | undefined;
  do {
    const { rows, nextCursor } = await site.store.from(emailLinks).list({
      where,
      sort: "createdAt",
      limit: BATCH,
      cursor,
    });
    for (const userId of await removeLinks(site, rows, before)) {
      await removeUnused(site, userId, before);
    }
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/**
 * Days after which unused accounts are removed. 0: they stay, and so they do where no address has to be confirmed, or
 * none can be, since no mail goes out.
 */
function daysOf({ emailVerification, unverifiedDays, production, smtpUrl }: Settings): number {
  const provable = emailVerification && (smtpUrl !== undefined || !production);
  return provable ? unverifiedDays : 0;
}

/** @returns Ids of the users whose links stay, for the accounts wait for their proof. */
async function removeLinks(
  { store, settings }: Site,
  listed: readonly EmailLink[],
  before: string,
): Promise<ReadonlySet<string>> {
  const removes = daysOf(settings) > 0;
  return await store.transact(server, async (tx) => {
    const waiting = new Set<string>();
    for (const link of await tx.from(emailLinks).getMany(listed.map(({ id }) => id))) {
      if (!link || link.expiresAt >= before) continue;
      const user = removes ? await tx.from(users).get(link.userId) : null;
      if (user && isUnverified(settings, user)) waiting.add(user.id);
      else tx.remove(emailLinks, link);
    }
    return waiting;
  });
}

/** Removes an account with all that refers to it, in pieces, unless someone uses it. */
async function removeUnused(
  { store, settings }: Site,
  userId: string,
  before: string,
): Promise<void> {
  for (let whole = false; !whole;) {
    whole = await store.transact(server, async (tx) => {
      const user = await tx.from(users).get(userId);
      if (!user || !isUnverified(settings, user) || await isUsed(tx, user, before)) return true;
      const piece = new Piece();
      await planUserPiece(tx, piece, userId, await heirsOf(tx, null, userId));
      if (piece.whole) tx.remove(users, user);
      return piece.whole;
    });
    // Lets requests that have waited go first.
    await delay();
  }
}

/**
 * Whether an account is of use to anyone: an administrator has set its status, it owns something, or someone has signed
 * in or is signed in still. Whoever signs in meanwhile writes the user, so that the plan runs again.
 */
async function isUsed(
  tx: Pick<Transaction, "from" | "now">,
  { id: userId, status, createdAt, lastLoginAt = createdAt }: User,
  before: string,
): Promise<boolean> {
  return status !== "active" || lastLoginAt >= before ||
    await tx.from(sessions).count({ userId, expiresAt: { gt: tx.now } }) > 0 ||
    await ownsRecords(tx, userId);
}
