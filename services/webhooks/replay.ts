// Sending deliveries again: one, or those of a time.
import type { z } from "zod";
import {
  type replayRequest,
  webhookDeliveries,
  type WebhookDelivery,
} from "../../models/webhooks.ts";
import type { Transaction, Where } from "../../storage/port.ts";

/** Deliveries that are planned to be sent again at a time. */
const BATCH = 100;

/** Plans that a delivery is sent again, as if for the first time; one that waits is sent at once. */
export function planReplay(tx: Transaction, delivery: WebhookDelivery): WebhookDelivery {
  return tx.update(webhookDeliveries, delivery, {
    status: "pending",
    attempts: 0,
    dueAt: tx.now,
    deliveredAt: undefined,
  });
}

/**
 * Plans that deliveries of a webhook are sent again, the oldest first.
 *
 * @returns How many, and where the others begin.
 */
export async function planReplayOf(
  tx: Transaction,
  webhookId: string,
  { from, to, status, cursor }: z.output<typeof replayRequest>,
): Promise<{ count: number; nextCursor: string | null }> {
  const where: Where<WebhookDelivery> = {
    webhookId,
    createdAt: to === undefined ? { gte: from } : { gte: from, lt: to },
    status: status === "all" ? ["failed", "delivered"] : status,
  };
  const page = await tx.from(webhookDeliveries).list({
    where,
    sort: "createdAt",
    limit: BATCH,
    cursor,
  });
  const found = await tx.from(webhookDeliveries).getMany(page.rows.map(({ id }) => id));
  const ended = found.filter((one) => one !== null && one.status !== "pending");
  for (const one of ended) planReplay(tx, one!);
  return { count: ended.length, nextCursor: page.nextCursor };
}
