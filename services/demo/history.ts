// The demo's audit log: what the people of the demo did to bring about what there is.
import { auditLog } from "../../models/audit.ts";
import type { Entity } from "../../storage/port.ts";
import type { People } from "./people.ts";
import { type World } from "./world.ts";
import { HOUR } from "../../core/units.ts";

/** The fields that say who made a record. */
interface Traces extends Entity {
  readonly ownerId?: string;
  readonly createdBy?: string;
}

export function addHistory(world: World, people: People): void {
  const { admin } = people.accounts;
  for (const { collection, records } of world.batches) {
    const { audit, name: target } = collection;
    if (!audit) continue;
    for (const record of records as readonly Traces[]) {
      world.add(auditLog, Date.parse(record.createdAt), {
        actorId: record.ownerId ?? record.createdBy ?? admin.id,
        action: "insert",
        target,
        targetId: record.id,
        targetName: audit(record),
        fields: [],
      });
    }
  }
  people.protagonists.forEach(({ id, name }, index) => {
    world.add(auditLog, world.now - (index + 1) * HOUR, {
      actorId: id,
      action: "update",
      target: "users",
      targetId: id,
      targetName: name,
      fields: ["bio"],
    });
  });
}
