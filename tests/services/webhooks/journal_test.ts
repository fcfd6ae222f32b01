// The place in the journal up to which webhooks are told: it goes forward alone.
import assert from "node:assert/strict";
import {
  JOURNAL,
  webhookDeliveries,
  type WebhookPosition,
  webhookPositions,
} from "../../../models/webhooks.ts";
import { Webhooks } from "../../../services/webhooks/webhooks.ts";
import type { Change } from "../../../storage/port.ts";
import { interposedHarness } from "../../interposed.ts";
import { pause, until } from "../../until.ts";
import { openReceiver } from "../../webhook_receiver.ts";
import {
  addDocument,
  addHook,
  deliveries,
  ending,
  webhookEnv as env,
} from "../../webhook_scene.ts";

const derives = ({ kind, collection }: Change) =>
  kind === "insert" && collection === webhookDeliveries.name;

const placesIn = (changes: readonly Change[]) =>
  changes.flatMap((change) => {
    if (change.kind !== "update" || change.collection !== webhookPositions.name) return [];
    const { id, position } = change.after as WebhookPosition;
    return id === JOURNAL ? [position] : [];
  });

// Whoever takes over, or starts next, would tell again what lies after a place that went back.
Deno.test("webhooks: a renewal that falls into a slow commit leaves the place that is reached by it", async () => {
  await using receiver = openReceiver();
  const h = await interposedHarness({ variant: "full", env });
  await ending(h, async () => {
    await addHook(h, receiver, { events: ["documents.created"] });
    h.store.beforeCommit = (changes) => changes.some(derives) ? pause(60) : undefined;
    const work = new Webhooks(() => h.app.services, { renewed: 5 });
    try {
      await work.look();
      for (let n = 1; n <= 3; n++) {
        await addDocument(h, `Document ${n}`);
        await until(async () => (await deliveries(h, "delivered")).length === n);
      }
      await pause(30);
    } finally {
      await work.close();
    }
    const places = h.store.committed.flatMap(placesIn);
    assert.ok(places.length >= 3, "it was never written");
    assert.deepEqual(places, places.toSorted());
  });
});
