// Makes what every handler may use, but for what needs the routes: they are the application's (app.ts).
import { getLogger } from "@logtape/logtape";
import type { VariableReport } from "../config/report.ts";
import type { Settings } from "../config/settings.ts";
import { createSealer } from "../core/sealing.ts";
import type { Tracing } from "../core/tracing.ts";
import { observeStore, type StoreObserver } from "../storage/observed.ts";
import type { Store } from "../storage/port.ts";
import { createKeyUses } from "./accounts/key_uses.ts";
import { Providers } from "./accounts/providers.ts";
import { RateLimiter } from "./accounts/rate_limits.ts";
import { SharedCounts } from "./accounts/shared_counts.ts";
import { createTokens } from "./accounts/tokens.ts";
import { AuditWork } from "./audit/audit.ts";
import { createDocumentViewCounter } from "./content/document_views.ts";
import { createVisitCounter } from "./dashboard/visits.ts";
import { JobBook } from "./job_book.ts";
import type { BackgroundMailer } from "./messaging/mailer.ts";
import { Outages } from "./outages.ts";
import { Quotas } from "./quotas/quotas.ts";
import type { MetricsPage, Services } from "./services.ts";
import { RequestLog } from "./system/request_log.ts";

export interface ServiceOptions {
  readonly store: Store;
  readonly settings: Settings;
  /** What is told of the configuration. @default nothing */
  readonly variables?: readonly VariableReport[];
  readonly mailer: BackgroundMailer;
  /** @default the system's */
  readonly clock?: () => Date;
  /** Milliseconds that no step of the system's clock changes. @default `performance.now` */
  readonly elapsed?: () => number;
  /** @default none are kept */
  readonly metrics?: MetricsPage & { readonly operation: StoreObserver } | null;
  /** @default nothing is traced */
  readonly tracing?: Tracing | null;
}

const log = getLogger(["quarterdeck", "http"]);

/** @param isShared True for the address of a proxy that TRUSTED_PROXIES does not name. */
export function createServices(
  options: ServiceOptions,
  isShared: (address: string) => boolean,
): Omit<Services, "records" | "events" | "webhooks" | "backups"> {
  const { settings, mailer, clock = () => new Date(), metrics = null, tracing = null } = options;
  const { elapsed = () => performance.now() } = options;
  const observers = [metrics, tracing].flatMap((one) => one?.operation ?? []);
  const store = observers.length > 0
    ? observeStore(options.store, together(observers))
    : options.store;
  const { access } = settings.secrets;
  const others = store.shared
    ? new SharedCounts({
      notes: store.notes,
      sealer: createSealer(access, "counts of rate limits"),
      clock,
      elapsed,
    })
    : null;
  return {
    store,
    settings,
    variables: options.variables ?? [],
    clock,
    mailer,
    tokens: createTokens({ secrets: settings.secrets, lifetimes: settings.lifetimes, clock }),
    limiter: new RateLimiter({ elapsed, enabled: settings.rateLimits, isShared, others }),
    quotas: new Quotas({
      store,
      records: settings.recordsQuota,
      bytes: settings.uploads.quota,
      elapsed,
      rateLimits: settings.rateLimits,
    }),
    visits: createVisitCounter(store, clock),
    metrics,
    tracing,
    documentViews: createDocumentViewCounter(store, clock),
    outages: new Outages(log, elapsed),
    keyUses: createKeyUses(store, clock),
    providers: new Providers({ settings, elapsed }),
    audit: new AuditWork({ store, keys: settings.auditKeys, clock }),
    jobs: new JobBook(clock),
    requests: new RequestLog(clock, elapsed),
  };
}

/** Tells several observers; one alone is called by itself. */
function together(observers: readonly StoreObserver[]): StoreObserver {
  if (observers.length === 1) return observers[0]!;
  return (...operation) => {
    for (const observer of observers) observer(...operation);
  };
}
