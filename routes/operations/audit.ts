// The audit log: who did what, when and from where, and the words that this server signs on it.
import { z } from "zod";
import { existing } from "../../core/errors.ts";
import { columnsOf, csvAnswer } from "../../http/csv.ts";
import { endpoint } from "../../http/endpoint.ts";
import { listing, pagination } from "../../http/lists.ts";
import {
  auditCheckpoints,
  auditExportQuery,
  auditListQuery,
  auditLog,
  type AuditRecord,
  HEAD,
  type PublicAuditEntry,
  publicAuditEntry,
  publicCheckpoint,
} from "../../models/audit.ts";
import { auditViews } from "../../services/audit/views.ts";

const tag = "Audit";
const access = "audit:view";

/** Entries read at a time: some milliseconds of work. */
const PAGE = 100;

const list = endpoint({
  operationId: "listAuditEntries",
  method: "get",
  path: "/audit",
  tag,
  summary: "The audit log",
  description:
    "Newest first. `actorId`, `action` (insert, update, remove, signIn, impersonate, prove, export, download, erase, purge), " +
    "`target` (the collection), `targetId`, `ip` and bounds such as `createdAt_gte` narrow it. Entries are kept for " +
    "`AUDIT_DAYS`.",
  access,
  query: auditListQuery,
  list: true,
  data: z.array(publicAuditEntry),
  async handle(call) {
    const paging = listing<AuditRecord>(call.query);
    const page = await call.store.from(auditLog).list({ ...paging, where: call.query.where });
    const data = await auditViews(call.store, page.rows);
    return { data, pagination: pagination(paging, page) };
  },
});

const columns = {
  ...columnsOf<PublicAuditEntry>("id", "time", "action", "target", "targetId", "targetName"),
  actorId: ({ actor }: PublicAuditEntry) => actor?.id,
  actor: ({ actor }: PublicAuditEntry) => actor?.name,
  impersonatorId: ({ impersonator }: PublicAuditEntry) => impersonator?.id,
  ...columnsOf<PublicAuditEntry>("apiKeyId", "ip", "requestId", "fields"),
  changes: ({ changes }: PublicAuditEntry) => changes.length > 0 ? JSON.stringify(changes) : "",
};

const exportAudit = endpoint({
  operationId: "exportAuditLog",
  method: "get",
  path: "/audit/export",
  tag,
  summary: "The audit log as CSV",
  description:
    "All that the filters of the list match, in its order, streamed; `changes` is JSON. What a spreadsheet would take " +
    "for a formula has an apostrophe before it. `bom=true` is for Excel. At most 60 exports and imports an hour.",
  access,
  query: auditExportQuery,
  raw: "text/csv",
  errors: ["RATE_LIMITED"],
  async handle(call) {
    const { store, query } = call;
    const { sort } = listing<AuditRecord>(query);
    return await csvAnswer(call, {
      name: "audit",
      columns,
      bom: query.bom,
      async read(cursor) {
        const asked = { where: query.where, sort, cursor, limit: PAGE };
        const { rows, total, nextCursor } = await store.from(auditLog).list(asked);
        return { records: await auditViews(store, rows), total, nextCursor };
      },
    });
  },
});

const checkpoint = endpoint({
  operationId: "getAuditCheckpoint",
  method: "get",
  path: "/audit/checkpoint",
  tag,
  summary: "The newest checkpoint of the audit log",
  description:
    "The number and the hash of the newest link of the chain over the log, signed by this server. Keep it elsewhere: " +
    "`deno task verify --audit --holds SEQ:HASH` tells later whether the chain still holds it.",
  access,
  data: publicCheckpoint,
  async handle({ store, services }) {
    const { publicKey } = services.audit.notary;
    const head = await store.from(auditCheckpoints).get(HEAD);
    if (!head) return { data: { seq: 0, hash: "", at: null, signature: "", publicKey } };
    const { seq, hash, at, signature } = head;
    return { data: { seq, hash, at, signature, publicKey } };
  },
});

const show = endpoint({
  operationId: "getAuditEntry",
  method: "get",
  path: "/audit/{id}",
  tag,
  summary: "One entry of the audit log",
  access,
  data: publicAuditEntry,
  errors: ["NOT_FOUND"],
  async handle({ store, params }) {
    const entry = existing(await store.from(auditLog).get(params.id), "entry of the audit log");
    const [view] = await auditViews(store, [entry]);
    return { data: view! };
  },
});

export const auditRoutes = [list, exportAudit, checkpoint, show];
