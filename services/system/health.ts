// How the server fares, for its administrators: nothing here scans, so that looking costs little.
import process from "node:process";
import { auditCheckpoints, auditPositions, CHAIN, HEAD } from "../../models/audit.ts";
import { allCollections } from "../../models/all.ts";
import type { SystemHealth } from "../../models/system.ts";
import { webhookDeliveries, webhooks } from "../../models/webhooks.ts";
import { DAY, SECOND } from "../../core/units.ts";
import { JOURNAL_RETENTION } from "../../storage/limits.ts";
import type { Store } from "../../storage/port.ts";
import { backupIds, Folder } from "../backups/folder.ts";
import { newestWhole, timeOfBackup } from "../backups/place.ts";
import type { Services } from "../services.ts";

/** @throws {StoreUnavailable} */
export async function healthOf(services: Services): Promise<Omit<SystemHealth, "version">> {
  const { store, settings, events, mailer, jobs, clock } = services;
  const [facts, records, waiting, audit, newest] = await Promise.all([
    store.facts(),
    countsOf(store),
    backlogOf(store),
    chainOf(store),
    newestBackup(settings.backups.folder),
  ]);
  const { version, layout, size, memory, journalSince } = facts;
  return {
    time: clock().toISOString(),
    variant: settings.variant.name,
    process: processFacts(),
    store: {
      engine: store.engine,
      version,
      layout,
      size,
      shared: store.shared,
      unreadableRecords: store.unreadable(),
      cache: memory,
    },
    journal: {
      position: store.position(),
      since: journalSince,
      keptDays: JOURNAL_RETENTION / DAY,
    },
    records,
    events: { open: events.size, most: settings.events.streams },
    webhooks: waiting,
    audit,
    backups: {
      every: settings.backups.every / SECOND,
      folder: settings.backups.folder,
      newest,
    },
    mails: { configured: settings.smtpUrl !== undefined, ...mailer.state() },
    jobs: [...jobs.reports],
  };
}

function processFacts(): SystemHealth["process"] {
  const { rss, heapUsed, heapTotal, external } = Deno.memoryUsage();
  const { user, system } = process.cpuUsage();
  return {
    deno: Deno.version.deno,
    v8: Deno.version.v8,
    startedAt: new Date(performance.timeOrigin).toISOString(),
    uptime: Math.round(performance.now()) / SECOND,
    cpu: Math.round((user + system) / SECOND) / SECOND,
    memory: { rss, heapUsed, heapTotal, external },
  };
}

/** The engines keep these numbers: none is counted. */
async function countsOf(store: Store): Promise<Record<string, number>> {
  const counts = await Promise.all(
    allCollections.map(async (one) => [one.name, await store.from(one).count()] as const),
  );
  return Object.fromEntries(counts);
}

/** What is still to be sent; deliveries are looked at only where there is somebody to send them to. */
async function backlogOf(store: Store): Promise<SystemHealth["webhooks"]> {
  const [active, all] = await Promise.all([
    store.from(webhooks).count({ active: true }),
    store.from(webhooks).count(),
  ]);
  const pending = all === 0 ? 0 : await store.from(webhookDeliveries).count({ status: "pending" });
  return { active, pending };
}

async function chainOf(store: Store): Promise<SystemHealth["audit"]> {
  const [head, chain, { rows: [kept] }] = await Promise.all([
    store.from(auditCheckpoints).get(HEAD),
    store.from(auditPositions).get(CHAIN),
    store.from(auditCheckpoints).list({ where: { kind: "kept" }, sort: "-seq", limit: 1 }),
  ]);
  return {
    seq: head?.seq ?? 0,
    linkedAt: head?.at ?? null,
    position: chain?.position ?? "",
    checkpointAt: kept?.at ?? null,
  };
}

/** The newest that is whole; null where there is none, and where the folder cannot be read. */
async function newestBackup(folder: string): Promise<SystemHealth["backups"]["newest"]> {
  const id = await newestWhole(new Folder(folder), await backupIds(folder).catch(() => []));
  return id === null ? null : { id, at: new Date(timeOfBackup(id)).toISOString() };
}
