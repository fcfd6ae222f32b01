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
  type WebhookState,
} from "../../models/webhooks.ts";
import type { Store, Where } from "../../storage/port.ts";
import { manages, type Principal } from "../access/access.ts";
import { everyMatch } from "../../storage/every_match.ts";
import { comparable } from "../../storage/searched.ts";
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

function stateOf({ active, failingSince, disabledAt }: Webhook): WebhookState {
  if (disabledAt !== undefined) return "disabled";
  if (!active) return "paused";
  return failingSince === undefined ? "active" : "failing";
}

/** A path often holds a secret of the receiver: it is for the owner alone. */
export function webhookView({ user }: Principal, hook: Webhook): z.infer<typeof publicWebhook> {
  const url = hook.ownerId === user.id ? hook.url : `${new URL(hook.url).origin}/…`;
  return publicWebhook.parse({ ...hook, url, state: stateOf(hook) });
}

/**
 * The condition on the webhooks that a search and a state ask for. They are looked for in what the caller is shown, since
 * finding by a part of a path would tell it; an installation has few enough webhooks to look at each.
 */
export async function askedWebhooks(
  source: Source,
  principal: Principal,
  { search, state }: { readonly search?: string; readonly state?: WebhookState },
): Promise<Where<Webhook>> {
  if (search === undefined && state === undefined) return {};
  const term = comparable(search ?? "");
  const found = (await everyMatch(source, webhooks, visibleWebhooks(principal))).filter((hook) => {
    const view = webhookView(principal, hook);
    const texts = [view.url, view.description ?? ""];
    return (state === undefined || view.state === state) &&
      texts.some((text) => comparable(text).includes(term));
  });
  return { id: found.map(({ id }) => id) };
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
