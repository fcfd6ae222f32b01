// What webhooks were told, and telling it again.
import { z } from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { listing, pagination } from "../../http/lists.ts";
import { notFound } from "../../core/errors.ts";
import {
  deliveryDetails,
  deliveryListQuery,
  publicDelivery,
  replayAnswer,
  replayRequest,
  webhookDeliveries,
  type WebhookDelivery,
} from "../../models/webhooks.ts";
import { TEST_TYPE } from "../../services/webhooks/deliveries.ts";
import { planReplay, planReplayOf } from "../../services/webhooks/replay.ts";
import { deliveryDetailsView, deliveryView, seenWebhook } from "../../services/webhooks/views.ts";

const tag = "Webhooks";

const list = endpoint({
  operationId: "listWebhookDeliveries",
  method: "get",
  path: "/webhooks/{id}/deliveries",
  tag,
  summary: "What a webhook was told, and is to be told",
  access: "webhooks:view",
  query: deliveryListQuery,
  list: true,
  data: z.array(publicDelivery),
  errors: ["NOT_FOUND"],
  async handle({ store, query, principal, params }) {
    const { id: webhookId } = await seenWebhook(store, principal, params.id);
    const paging = listing<WebhookDelivery>(query);
    const where = { ...query.where, webhookId };
    const page = await store.from(webhookDeliveries).list({ ...paging, where });
    return { data: page.rows.map(deliveryView), pagination: pagination(paging, page) };
  },
});

const details = endpoint({
  operationId: "getWebhookDelivery",
  method: "get",
  path: "/webhooks/{id}/deliveries/{deliveryId}",
  tag,
  summary: "A delivery with its attempts",
  access: "webhooks:view",
  data: deliveryDetails,
  errors: ["NOT_FOUND"],
  async handle({ store, principal, params }) {
    const hook = await seenWebhook(store, principal, params.id);
    const delivery = await store.from(webhookDeliveries).get(params.deliveryId);
    if (delivery?.webhookId !== hook.id) throw notFound("delivery");
    return { data: deliveryDetailsView(principal, hook, delivery) };
  },
});

const test = endpoint({
  operationId: "testWebhook",
  method: "post",
  path: "/webhooks/{id}/test",
  tag,
  summary: "Send a test to a webhook",
  description:
    `A delivery of the type \`${TEST_TYPE}\`, as soon as the webhook is active. Its details tell how it went.`,
  access: "webhooks:update",
  created: true,
  data: publicDelivery,
  errors: ["NOT_FOUND"],
  limits: { account: ["webhookTest"] },
  async handle(call) {
    call.services.limiter.take("webhookTest", { account: call.principal.user.id });
    const delivery = await call.transact(async (tx) => {
      const { id } = await seenWebhook(tx, call.principal, call.params.id);
      return tx.insert(webhookDeliveries, {
        webhookId: id,
        type: TEST_TYPE,
        targetId: id,
        actorId: call.principal.user.id,
        at: tx.now,
        status: "pending",
        attempts: 0,
        dueAt: tx.now,
        history: [],
      });
    });
    call.services.webhooks.wake();
    return { data: deliveryView(delivery) };
  },
});

const replay = endpoint({
  operationId: "replayWebhookDelivery",
  method: "post",
  path: "/webhooks/{id}/deliveries/{deliveryId}/replay",
  tag,
  summary: "Send a delivery again",
  description: "It keeps its id, by which the receiver knows it, and gets all attempts anew.",
  access: "webhooks:update",
  data: publicDelivery,
  errors: ["NOT_FOUND"],
  async handle(call) {
    const { id, deliveryId } = call.params;
    const delivery = await call.transact(async (tx) => {
      const hook = await seenWebhook(tx, call.principal, id);
      const delivery = await tx.from(webhookDeliveries).get(deliveryId);
      if (delivery?.webhookId !== hook.id) throw notFound("delivery");
      return planReplay(tx, delivery);
    });
    call.services.webhooks.wake();
    return { data: deliveryView(delivery), message: "The delivery is sent again" };
  },
});

const replayRange = endpoint({
  operationId: "replayWebhookDeliveries",
  method: "post",
  path: "/webhooks/{id}/replay",
  tag,
  summary: "Send the deliveries of a time again",
  description:
    "The oldest first, a hundred in a request; `nextCursor` leads to the others. Failed ones alone, unless `status` says " +
    "otherwise.",
  access: "webhooks:update",
  body: replayRequest,
  data: replayAnswer,
  errors: ["NOT_FOUND"],
  async handle(call) {
    const data = await call.transact(async (tx) => {
      const { id } = await seenWebhook(tx, call.principal, call.params.id);
      return await planReplayOf(tx, id, call.body);
    });
    call.services.webhooks.wake();
    return { data, message: `${data.count} deliveries are sent again` };
  },
});

export const webhookDeliveryRoutes = [list, details, test, replay, replayRange];
