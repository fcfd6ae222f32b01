// Webhooks: making, changing, stopping and removing them, and their secrets.
import { z } from "zod";
import { assertMatch } from "../../http/conditional.ts";
import { type Call, endpoint } from "../../http/endpoint.ts";
import { listing, pagination } from "../../http/lists.ts";
import { conflict, invalid } from "../../core/errors.ts";
import { deleted, patchOf } from "../../models/requests.ts";
import {
  publicWebhook,
  type Webhook,
  webhookCreation,
  webhookDeliveries,
  webhookListQuery,
  webhookPositions,
  webhooks,
  webhookUpdate,
  webhookWithSecret,
} from "../../models/webhooks.ts";
import { assertProven } from "../../services/accounts/step_up.ts";
import { withdraw } from "../../services/messaging/notifications.ts";
import { planBeginning } from "../../services/webhooks/hooks.ts";
import { urlProblem } from "../../services/webhooks/urls.ts";
import { newSecret, ROTATION, secretSealer } from "../../services/webhooks/secrets.ts";
import {
  askedWebhooks,
  assertKnownEvents,
  assertOwns,
  seenWebhook,
  visibleWebhooks,
  webhookView,
} from "../../services/webhooks/views.ts";

const tag = "Webhooks";
/** Of an installation at most. */
const MAX_WEBHOOKS = 100;
/** Deliveries that are removed with their webhook; the sweep removes the others. */
const REMOVED_AT_ONCE = 50;
/** Twice the longest URL, description and list of events. */
const bodyLimit = 64 * 1024;

/** @throws {ApiError} VALIDATION_ERROR */
function assertUsable(
  call: Pick<Call, "services">,
  { url, events }: { readonly url?: string; readonly events?: readonly string[] },
): void {
  const { allowPrivate } = call.services.settings.webhooks;
  const problem = url === undefined ? null : urlProblem(url, allowPrivate);
  if (problem !== null) throw invalid("url", problem);
  if (events) assertKnownEvents(events);
}

const list = endpoint({
  operationId: "listWebhooks",
  method: "get",
  path: "/webhooks",
  tag,
  summary: "One's webhooks",
  description:
    "Whoever holds `webhooks:*` sees those of all, without the paths of their addresses. `search` looks into the address " +
    "and the description, as far as one sees them.",
  access: "webhooks:view",
  query: webhookListQuery,
  list: true,
  data: z.array(publicWebhook),
  async handle({ store, query, principal }) {
    const { search, ...paging } = listing<Webhook>(query);
    const asked = await askedWebhooks(store, principal, { search, state: query.state });
    const all = [query.where, visibleWebhooks(principal), asked];
    const page = await store.from(webhooks).list({ ...paging, where: { all } });
    return {
      data: page.rows.map((hook) => webhookView(principal, hook)),
      pagination: pagination(paging, page),
    };
  },
});

const create = endpoint({
  operationId: "createWebhook",
  method: "post",
  path: "/webhooks",
  tag,
  summary: "Have an address told of what happens",
  description:
    "Each event that you may see goes to the address, as a POST of JSON that is signed by Standard Webhooks, at least " +
    "once. The answer holds the secret that it is signed with, this once.",
  access: "webhooks:create",
  stepUp: true,
  secret: true,
  created: true,
  bodyLimit,
  body: webhookCreation,
  data: webhookWithSecret,
  errors: ["CONFLICT"],
  async handle(call) {
    const { services, store, body } = call;
    assertUsable(call, body);
    const secret = newSecret();
    const sealed = secretSealer(services.settings).seal(secret);
    const position = store.position();
    const hook = await call.transact(async (tx) => {
      if (await tx.from(webhooks).count() >= MAX_WEBHOOKS) {
        throw conflict(`There are ${MAX_WEBHOOKS} webhooks, as many as may be: delete one first`);
      }
      const made = tx.insert(webhooks, {
        ...body,
        ownerId: call.principal.user.id,
        secret: sealed,
      });
      await planBeginning(tx, made.id, position);
      return made;
    });
    const data = { ...webhookView(call.principal, hook), secret };
    return { data, message: "Keep the secret: it is shown this once" };
  },
});

const details = endpoint({
  operationId: "getWebhook",
  method: "get",
  path: "/webhooks/{id}",
  tag,
  summary: "A webhook",
  access: "webhooks:view",
  data: publicWebhook,
  errors: ["NOT_FOUND"],
  async handle({ store, params, principal }) {
    const hook = await seenWebhook(store, principal, params.id);
    return { data: webhookView(principal, hook), etag: hook.rev };
  },
});

const update = endpoint({
  operationId: "updateWebhook",
  method: "put",
  path: "/webhooks/{id}",
  tag,
  summary: "Change, stop or resume a webhook",
  description:
    "A stopped one is told nothing of what happens meanwhile; what waited for it goes out when it is active again. " +
    "Another address takes a recent proof of who you are. Others than the owner may only stop it.",
  access: "webhooks:update",
  bodyLimit,
  body: webhookUpdate,
  data: publicWebhook,
  errors: ["NOT_FOUND", "FORBIDDEN", "PRECONDITION_FAILED", "STEP_UP_REQUIRED"],
  async handle(call) {
    const { store, body, params } = call;
    assertUsable(call, body);
    const position = store.position();
    const hook = await call.transact(async (tx) => {
      const hook = await seenWebhook(tx, call.principal, params.id);
      assertMatch(call, hook.rev);
      const { active, ...others } = patchOf(body);
      if (active !== false || Object.keys(others).length > 0) assertOwns(call.principal, hook);
      const moved = body.url !== undefined && body.url !== hook.url;
      if (moved) assertProven(call.principal, tx.now);
      const resumed = active === true && !hook.active;
      if (resumed) await planBeginning(tx, hook.id, position);
      return tx.update(webhooks, hook, {
        ...patchOf(body),
        ...(resumed ? { disabledAt: undefined, disabledReason: undefined } : {}),
        // At another address nothing has failed yet.
        ...(resumed || moved ? { failingSince: undefined } : {}),
      });
    });
    return {
      data: webhookView(call.principal, hook),
      etag: hook.rev,
      message: "The webhook is saved",
    };
  },
});

const rotate = endpoint({
  operationId: "rotateWebhookSecret",
  method: "post",
  path: "/webhooks/{id}/rotate",
  tag,
  summary: "Give a webhook a new secret",
  description:
    "The answer holds it, this once. For a day deliveries carry a signature by the secret before too, so that the " +
    "receiver can change over. A second rotation within that day ends the older one at once.",
  access: "webhooks:update",
  stepUp: true,
  secret: true,
  data: webhookWithSecret,
  errors: ["NOT_FOUND", "FORBIDDEN"],
  async handle(call) {
    const secret = newSecret();
    const sealed = secretSealer(call.services.settings).seal(secret);
    const hook = await call.transact(async (tx) => {
      const hook = await seenWebhook(tx, call.principal, call.params.id);
      assertOwns(call.principal, hook);
      return tx.update(webhooks, hook, {
        secret: sealed,
        previousSecret: hook.secret,
        previousUntil: new Date(Date.parse(tx.now) + ROTATION).toISOString(),
      });
    });
    const data = { ...webhookView(call.principal, hook), secret };
    return { data, message: "Keep the secret: it is shown this once" };
  },
});

const remove = endpoint({
  operationId: "deleteWebhook",
  method: "delete",
  path: "/webhooks/{id}",
  tag,
  summary: "Delete a webhook, with what waits for it",
  access: "webhooks:delete",
  data: deleted,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    const { id } = call.params;
    await call.transact(async (tx) => {
      const hook = await seenWebhook(tx, call.principal, id);
      assertMatch(call, hook.rev);
      const told = { where: { webhookId: id }, limit: REMOVED_AT_ONCE };
      const listed = await tx.from(webhookDeliveries).list(told);
      const found = await tx.from(webhookDeliveries).getMany(listed.rows.map((one) => one.id));
      for (const one of found) if (one) tx.remove(webhookDeliveries, one);
      const begun = await tx.from(webhookPositions).get(id);
      if (begun) tx.remove(webhookPositions, begun);
      await withdraw(tx, id);
      tx.remove(webhooks, hook);
    });
    return { data: { id }, message: "The webhook is deleted" };
  },
});

export const webhookRoutes = [list, create, details, update, rotate, remove];
