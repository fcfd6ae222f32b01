// Webhooks as the server uses them: those that are active, what they ask for, on whose behalf, and how one is stopped.
import type { Awaitable } from "../../core/awaitable.ts";
import type { User } from "../../models/users.ts";
import { users } from "../../models/users.ts";
import { roles } from "../../models/roles.ts";
import {
  type DisabledReason,
  hostOf,
  JOURNAL,
  type Webhook,
  webhookPositions,
  webhooks,
} from "../../models/webhooks.ts";
import { everyMatch } from "../../storage/every_match.ts";
import type { Store, Transaction } from "../../storage/port.ts";
import { effectivePermissions, permits, type Principal } from "../access/access.ts";
import { isUnverified } from "../accounts/verification.ts";
import { webhookStoppedMail } from "../messaging/mails.ts";
import { notify } from "../messaging/notifications.ts";
import type { Services } from "../services.ts";

type Source = Pick<Store, "from">;

/** What the owner of a webhook must hold for it to be told anything. */
const NEEDED = "webhooks:view";

/** Those that are told of what happens. */
export function activeWebhooks(source: Source): Awaitable<readonly Webhook[]> {
  return everyMatch(source, webhooks, { active: true });
}

/** Whether a webhook asks for events of this type: `documents.created`. */
export function asksFor({ events }: Pick<Webhook, "events">, type: string): boolean {
  return events.some((event) =>
    event === "*" || event === type || event.endsWith(".*") && type.startsWith(event.slice(0, -1))
  );
}

/** The owner of a webhook as a caller; null where they may not have webhooks any more. */
export async function ownerOf(
  source: Source,
  { ownerId }: Pick<Webhook, "ownerId">,
): Promise<Principal | null> {
  const user = await source.from(users).get(ownerId);
  if (user?.status !== "active") return null;
  const role = await source.from(roles).findBy("name", user.role);
  const permissions = effectivePermissions(user, role);
  return permits(permissions, NEEDED)
    ? { user, role, session: null, key: null, permissions }
    : null;
}

/**
 * Plans that a webhook is told what happens from here on, and that the journal is followed at least from here on.
 *
 * @param position Of the store, taken before this plan.
 */
export async function planBeginning(tx: Transaction, id: string, position: string): Promise<void> {
  const [all, own] = await tx.from(webhookPositions).getMany([JOURNAL, id]);
  // Written in any case: of webhooks that are made at the same time, the second counts the first.
  if (all) tx.update(webhookPositions, all, {});
  else tx.insert(webhookPositions, { id: JOURNAL, position });
  if (own) tx.update(webhookPositions, own, { position });
  else tx.insert(webhookPositions, { id, position });
}

const WHY: Readonly<Record<DisabledReason, string>> = {
  gone: "The address answers that it is gone for good (410).",
  failing: "Every delivery has failed for five days.",
  backlog: "It takes deliveries more slowly than they come, and too many wait.",
  owner: "Its owner may not have webhooks any more.",
  secret: "Its secret cannot be read, since the server's own has changed: rotate it.",
};

/** Plans that the server stops a webhook, and that its owner is told. What waits for it stays. */
export function planStop(tx: Transaction, hook: Webhook, reason: DisabledReason): void {
  tx.update(webhooks, hook, { active: false, disabledAt: tx.now, disabledReason: reason });
  notify(tx, {
    userId: hook.ownerId,
    type: "alert",
    title: `Webhook stopped: ${hostOf(hook.url)}`,
    content: WHY[reason],
    link: `/webhooks/${hook.id}`,
    subjectId: hook.id,
  });
}

/** Mails the owner of a webhook that was stopped. */
export async function mailStop(
  { store, settings, mailer }: Pick<Services, "store" | "settings" | "mailer">,
  { ownerId, url }: Webhook,
  reason: DisabledReason,
): Promise<void> {
  const owner: User | null = await store.from(users).get(ownerId);
  if (owner?.status !== "active" || isUnverified(settings, owner)) return;
  mailer.inBackground(() => webhookStoppedMail(owner, hostOf(url), WHY[reason]));
}

/** Stops a webhook, unless it is stopped already. */
export async function stopWebhook(
  services: Pick<Services, "store" | "settings" | "mailer">,
  id: string,
  reason: DisabledReason,
): Promise<void> {
  const stopped = await services.store.transact({ userId: null }, async (tx) => {
    const hook = await tx.from(webhooks).get(id);
    if (!hook?.active) return null;
    planStop(tx, hook, reason);
    return hook;
  });
  if (stopped) await mailStop(services, stopped, reason);
}
