// Users, by the routes that front ends call beside those of the resource: the status alone, and many deleted at once.
import { z } from "zod";
import { type Endpoint, endpoint } from "../../http/endpoint.ts";
import { ApiError, conflict } from "../../core/errors.ts";
import { type BatchOutcome, batchOutcome, batchSummary } from "../../models/batches.ts";
import { type User, userBatch, users, userStatusUpdate } from "../../models/users.ts";
import type { Principal } from "../../services/access/access.ts";
import { assertMayManage, keepOneSuperAdmin, roleOf } from "../../services/access/users.ts";
import { finishDeletion, planUserDeletion } from "../../services/content/deletions.ts";
import type { Transaction } from "../../storage/port.ts";
import { KIB } from "../../core/units.ts";
import { updateUser } from "./users.ts";

const setStatus: Endpoint = {
  ...updateUser,
  operationId: "setUserStatus",
  path: "/users/{id}/status",
  summary: "Set the status of a user",
  description: "A status other than active ends the user's sessions.",
  body: userStatusUpdate,
  bodyLimit: 16 * KIB,
  problems: undefined,
};

const batchDelete = endpoint({
  operationId: "deleteUsers",
  method: "post",
  path: "/users/batch-delete",
  tag: "Users",
  summary: "Delete many users",
  description:
    "Those the caller may delete are signed out and inactive at once, and then deleted, each as " +
    "`DELETE /users/{id}` does; the answer tells of each.",
  access: "users:delete",
  body: userBatch,
  bodyLimit: 64 * KIB,
  data: z.array(batchOutcome),
  async handle(call) {
    const outcomes = await call.transact((tx) => planUsersDeletion(tx, call));
    for (const { id, status } of outcomes) {
      if (status === "deleted") await finishDeletion(call.store, id);
    }
    return { data: outcomes, message: batchSummary(outcomes, "users", "deleted") };
  },
});

async function planUsersDeletion(
  tx: Transaction,
  { principal, body }: { readonly principal: Principal; readonly body: { ids: string[] } },
): Promise<BatchOutcome[]> {
  const asked = [...new Set(body.ids)];
  const found = await tx.from(users).getMany(asked);
  const going: User[] = [];
  const outcomes: BatchOutcome[] = [];
  for (const [n, id] of asked.entries()) {
    const user = found[n];
    const refused = user ? await planOne(tx, principal, user, going) : null;
    if (refused) outcomes.push({ id, ...refused });
    else outcomes.push({ id, status: user ? "deleted" : "not_found" });
  }
  return outcomes;
}

/** @returns Why the user may not be deleted; null once that is planned. */
async function planOne(
  tx: Transaction,
  principal: Principal,
  user: User,
  going: User[],
): Promise<Omit<BatchOutcome, "id"> | null> {
  try {
    if (user.id === principal.user.id) throw conflict("You cannot delete yourself");
    assertMayManage(principal, user, await roleOf(tx, user));
    await keepOneSuperAdmin(tx, user, going);
    await planUserDeletion(tx, user, principal);
    going.push(user);
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const status = error.code === "FORBIDDEN" ? "forbidden" : "conflict";
    return { status, message: error.message };
  }
}

export const userBatchRoutes = [setStatus, batchDelete];
