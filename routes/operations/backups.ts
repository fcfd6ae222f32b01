// Backups: what there are, making one, downloading and deleting.
import { z } from "zod";
import { type Call, endpoint } from "../../http/endpoint.ts";
import { sendFile } from "../../http/download.ts";
import { listing, pagination } from "../../http/lists.ts";
import { conflict, existing, forbidden } from "../../core/errors.ts";
import { SECOND } from "../../core/units.ts";
import { auditLog } from "../../models/audit.ts";
import {
  backupListQuery,
  type BackupRecord,
  backups,
  type BackupStatus,
  backupStatus,
  type PublicBackup,
  publicBackup,
} from "../../models/backups.ts";
import { deleted } from "../../models/requests.ts";
import { SUPER_ADMIN } from "../../models/roles.ts";
import type { Principal } from "../../services/access/access.ts";
import { EXTENSION } from "../../services/backups/manifest.ts";
import { backupId, momentOfBackup, timeOfBackup } from "../../services/backups/place.ts";
import type { Services } from "../../services/services.ts";
import { auditEntry } from "../../storage/audit.ts";
import type { Transaction } from "../../storage/port.ts";

const tag = "Backups";

/** Backups are no records: each act is an entry of the audit log by itself. */
function planAct(tx: Transaction, { actor }: Pick<Call, "actor">, action: string, id: string) {
  const act = { action, target: backups.name, targetId: id, targetName: id };
  tx.insert(auditLog, auditEntry(actor, act));
}

function statusOf({ settings, backups }: Services): BackupStatus {
  const { every, keep, bucket } = settings.backups;
  const reason = backups.problem;
  return {
    possible: reason === null,
    reason: reason ?? undefined,
    every: every / SECOND,
    keep,
    bucket: bucket ? `${bucket.url}/${bucket.prefix}` : undefined,
  };
}

const list = endpoint({
  operationId: "listBackups",
  method: "get",
  path: "/backups",
  tag,
  summary: "The backups there are",
  description:
    "Newest first: those in the folder of this server and in the bucket, the one that is being made, and the last ones " +
    "that this server failed to make. `status` tells how they are made here. `search` looks into their moments, as ids and " +
    "as timestamps have them (UTC), and into `source`.",
  access: "backups:view",
  query: backupListQuery,
  list: true,
  data: z.array(publicBackup),
  extra: { status: backupStatus },
  async handle({ services, query }) {
    const paging = listing<BackupRecord>(query);
    const page = await services.backups.shelf.list({ ...paging, where: query.where });
    return {
      data: [...page.rows],
      pagination: pagination(paging, page),
      extra: { status: { ...statusOf(services), bucketProblem: page.bucketProblem } },
    };
  },
});

const details = endpoint({
  operationId: "getBackup",
  method: "get",
  path: "/backups/{id}",
  tag,
  summary: "A backup",
  access: "backups:view",
  data: publicBackup,
  errors: ["NOT_FOUND"],
  async handle({ services, params }) {
    return { data: existing(await services.backups.shelf.get(params.id), "backup") };
  },
});

/** How a backup begins: the same for a repetition of the request, whatever has become of it. */
function begun(id: string): PublicBackup {
  const createdAt = momentOfBackup(id);
  return { id, createdAt, state: "running", size: 0, places: [], step: "copy" };
}

const create = endpoint({
  operationId: "createBackup",
  method: "post",
  path: "/backups",
  tag,
  summary: "Make a backup",
  description:
    "Of the whole store, beside requests that go on. The answer does not wait for it: ask for it by its id until it is " +
    "`done` or `failed`. One is made at a time, and at most 20 an hour. A store in memory or on Deno Deploy is " +
    "backed up by other means: 409.",
  access: "backups:create",
  stepUp: true,
  accepted: true,
  commits: "apart",
  limits: { account: ["backup"] },
  data: publicBackup,
  errors: ["CONFLICT"],
  async handle(call) {
    const { services: { backups, clock, limiter } } = call;
    limiter.take("backup", { account: call.principal.user.id });
    let claim: Disposable | undefined;
    try {
      const id = await call.transact(async (tx) => {
        claim ??= await backups.claim();
        const id = backupId(clock().getTime());
        planAct(tx, call, "insert", id);
        return id;
      });
      // Of an earlier try that was killed between its commit and this, nothing is there.
      if (!call.repeated || await backups.shelf.get(id) === null) backups.start(timeOfBackup(id));
      return { data: begun(id), message: "The backup is being made" };
    } finally {
      claim?.[Symbol.dispose]();
    }
  },
});

/** A whole backup holds what no permission opens: hashes of passwords, and everyone's messages. */
function assertSuperAdmin({ user }: Principal): void {
  if (user.role !== SUPER_ADMIN) throw forbidden("Only a super_admin downloads backups");
}

const download = endpoint({
  operationId: "downloadBackup",
  method: "get",
  path: "/backups/{id}/download",
  tag,
  summary: "Download a backup",
  description:
    "For a super_admin. It holds the whole store, hashes of passwords too. Takes a `Range` of bytes, to go on where a " +
    "download broke off. Needs a proof of the last minutes of who you are (`POST /auth/step-up`); at most 60 an hour, " +
    "together with exports.",
  access: "backups:*",
  stepUp: true,
  raw: "application/octet-stream",
  errors: ["NOT_FOUND", "RANGE_NOT_SATISFIABLE", "RATE_LIMITED"],
  async handle(call) {
    const { services: { backups, limiter }, params: { id } } = call;
    assertSuperAdmin(call.principal);
    limiter.take("transfer", { account: call.principal.user.id });
    const { size, sha256, open } = existing(await backups.shelf.stored(id), "backup");
    await call.transact((tx) => {
      assertSuperAdmin(call.principal);
      planAct(tx, call, "download", id);
    });
    return await sendFile(call.context, {
      name: id + EXTENSION,
      mimeType: "application/octet-stream",
      size,
      sha256,
      open,
    });
  },
});

const remove = endpoint({
  operationId: "deleteBackup",
  method: "delete",
  path: "/backups/{id}",
  tag,
  summary: "Delete a backup",
  description: "Wherever it is, for good. One that is being made is not deleted: 409.",
  access: "backups:delete",
  stepUp: true,
  commits: "apart",
  data: deleted,
  errors: ["NOT_FOUND", "CONFLICT"],
  async handle(call) {
    const { services: { backups }, params: { id } } = call;
    const { state } = existing(await backups.shelf.get(id), "backup");
    if (state === "running") throw conflict("A backup is being made: wait until it is done");
    await call.transact((tx) => planAct(tx, call, "remove", id));
    await backups.remove(id);
    return { data: { id }, message: "The backup is deleted" };
  },
});

export const backupRoutes = [list, create, details, download, remove];
