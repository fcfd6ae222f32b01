// Webhooks and their deliveries as people see them: who sees which, and what of it.
import { forbidden, invalid, notFound } from "../../core/errors.ts";
import {
  deliveryDetails,
  publicDelivery,
  publicWebhook,
  type Webhook,
  type WebhookAttempt,
  webhookAttempt,
  type WebhookDelivery,
  webhooks,
} from "../../models/webhooks.ts";
import type { Store, Where } from "../../storage/port.ts";
import { manages, type Principal } from "../access/access.ts";
import { PUBLIC_COLLECTIONS } from "../events/event.ts";
import type { z } from "zod";

type Source = Pick<Store, "from">;

/** The webhooks that a caller sees: their own, and all of them where they manage them. */
export function visibleWebhooks(principal: Principal): Where<Webhook> {
  return manages(principal, "webhooks") ? {} : { ownerId: principal.user.id };
}

/** @throws {ApiError} NOT_FOUND, also for those of others. */
export async function seenWebhook(
  source: Source,
  principal: Principal,
  id: string,
): Promise<Webhook> {
  const hook = await source.from(webhooks).get(id);
  const seen = hook?.ownerId === principal.user.id || manages(principal, "webhooks");
  if (!hook || !seen) throw notFound("webhook");
  return hook;
}

/**
 * What a webhook is told is what its owner may see, so that nobody else leads it elsewhere, or learns its secret.
 *
 * @throws {ApiError} FORBIDDEN
 */
export function assertOwns({ user }: Principal, { ownerId }: Webhook): void {
  if (ownerId === user.id) return;
  throw forbidden("Only its owner may do that: you may stop this webhook, or delete it");
}

/** A path often holds a secret of the receiver: it is for the owner alone. */
export function webhookView({ user }: Principal, hook: Webhook): z.infer<typeof publicWebhook> {
  const url = hook.ownerId === user.id ? hook.url : `${new URL(hook.url).origin}/…`;
  return publicWebhook.parse({ ...hook, url });
}

function attemptsOf({ history }: WebhookDelivery): WebhookAttempt[] {
  return history.map((attempt) => webhookAttempt.parse(JSON.parse(attempt)));
}

export function deliveryView(delivery: WebhookDelivery): z.infer<typeof publicDelivery> {
  return publicDelivery.parse({ ...delivery, last: attemptsOf(delivery).at(-1) });
}

/** The answer of the receiver is for the owner alone. */
export function deliveryDetailsView(
  { user }: Principal,
  { ownerId }: Webhook,
  delivery: WebhookDelivery,
): z.infer<typeof deliveryDetails> {
  const history = attemptsOf(delivery);
  const response = ownerId === user.id ? delivery.response : undefined;
  return deliveryDetails.parse({ ...delivery, last: history.at(-1), history, response });
}

/** @throws {ApiError} VALIDATION_ERROR for events of collections that there are not. */
export function assertKnownEvents(events: readonly string[]): void {
  const known: readonly string[] = PUBLIC_COLLECTIONS;
  for (const [n, event] of events.entries()) {
    const [name = ""] = event.split(".");
    if (event === "*" || known.includes(name)) continue;
    throw invalid(`events.${n}`, `there are no events of '${name}', but of ${known.join(", ")}`);
  }
}
