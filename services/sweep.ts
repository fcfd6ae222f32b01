// Removes what has expired or is no longer needed: sessions, sign-ins that nobody ended, mailed links and accounts that
// came to nothing, answers kept for idempotency keys, old entries of the audit log, old deliveries of webhooks, old
// notifications, what was long enough in the trash, unused tags, pictures of users who have another, and bytes that no
// file refers to.
import { contents } from "../models/files.ts";
import { idempotentAnswers } from "../models/idempotency.ts";
import { usedChallenges } from "../models/passkeys.ts";
import { signInChallenges } from "../models/second_factors.ts";
import { passwordResets, sessions } from "../models/sessions.ts";
import {
  JOURNAL,
  webhookDeliveries,
  type WebhookDelivery,
  webhookPositions,
  webhooks,
} from "../models/webhooks.ts";
import { sweepEmailLinks } from "./accounts/unverified.ts";
import { withdrawExpiredShares } from "./access/shares.ts";
import { tryEach } from "../core/try_each.ts";
import { sweepAvatars } from "./images/avatars.ts";
import { sweepTags } from "./content/tags.ts";
import { sweepTrash } from "./content/trash.ts";
import { sweepNotifications } from "./messaging/notifications.ts";
import { everyMatch } from "../storage/every_match.ts";
import { removeEach } from "../storage/remove_each.ts";
import type { CollectionDeclaration, Entity, Store, Where } from "../storage/port.ts";
import type { Services } from "./services.ts";
import { DAY } from "../core/units.ts";

/** Milliseconds that an upload may take before its bytes count as left behind. */
const ORPHAN_AGE = DAY;

/** One pass over everything that expires. @throws When a part of it failed; the others are done. */
export async function sweep(
  { store, settings, audit }: Pick<Services, "store" | "settings" | "audit">,
  now: Date,
): Promise<void> {
  await tryEach([
    () => removeExpired(store, sessions, now),
    () => removeExpired(store, passwordResets, now),
    () => removeExpired(store, signInChallenges, now),
    () => removeExpired(store, usedChallenges, now),
    () => sweepEmailLinks({ store, settings }, now),
    () => removeExpired(store, idempotentAnswers, now),
    () => audit.sweep(settings.auditDays, now),
    () => withdrawExpiredShares(store, now),
    () => sweepDeliveries(store, settings.webhooks.days, now),
    () => sweepNotifications(store),
    () => sweepTrash(store, now),
    () => sweepTags(store, now),
    () => sweepAvatars(store),
    () => removeOrphans(store, now),
  ]);
}

async function removeExpired<T extends Entity & { expiresAt: string }>(
  store: Store,
  collection: CollectionDeclaration<T>,
  now: Date,
): Promise<void> {
  const time = now.toISOString();
  const where = { expiresAt: { lt: time } } as Where<T>;
  // Looked at again, for a session may have been renewed since it was listed.
  await removeEach(store, collection, where, (record) => record.expiresAt < time);
}

/**
 * Removes what webhooks were told long ago, and all that those were told that are gone. What is tried on stays until it
 * arrives or is given up, however few the days are; what waits for a webhook that is stopped does not.
 *
 * @param days 0: it is kept.
 */
async function sweepDeliveries(store: Store, days: number, now: Date): Promise<void> {
  if (days > 0) {
    const createdAt = { lt: new Date(now.getTime() - days * DAY).toISOString() };
    const stopped = await everyMatch(store, webhooks, { active: false });
    const ids = new Set(stopped.map(({ id }) => id));
    const any = [{ status: ["delivered" as const, "failed" as const] }, { webhookId: [...ids] }];
    const isOver = ({ status, webhookId }: WebhookDelivery) =>
      status !== "pending" || ids.has(webhookId);
    await removeEach(store, webhookDeliveries, { createdAt, any }, isOver);
  }
  const groups = await store.from(webhookDeliveries).aggregate({ by: "webhookId" });
  const found = await store.from(webhooks).getMany(groups.map(({ key }) => key));
  for (const [n, { key: webhookId }] of groups.entries()) {
    if (!found[n]) await removeEach(store, webhookDeliveries, { webhookId }, () => true);
  }
  const begun = (await everyMatch(store, webhookPositions, {})).filter(({ id }) => id !== JOURNAL);
  const told = await store.from(webhooks).getMany(begun.map(({ id }) => id));
  const ended = new Set(begun.filter((_, n) => !told[n]).map(({ id }) => id));
  if (ended.size > 0) {
    await removeEach(store, webhookPositions, { id: [...ended] }, ({ id }) => ended.has(id));
  }
}

async function removeOrphans(store: Store, now: Date): Promise<void> {
  const putBefore = now.getTime() - ORPHAN_AGE;
  for await (const { id, putAt } of store.blobs.list()) {
    if (putAt >= putBefore) continue;
    if (!await store.from(contents).findBy("blob", id)) await store.blobs.remove(id, putBefore);
  }
}
