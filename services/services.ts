// What every handler may use: the store, the settings, and the few things that tests replace.
import type { VariableReport } from "../config/report.ts";
import type { Settings } from "../config/settings.ts";
import type { Tracing } from "../core/tracing.ts";
import type { Actor, Store } from "../storage/port.ts";
import type { AuditWork } from "./audit/audit.ts";
import type { DocumentViewCounter } from "./content/document_views.ts";
import type { BackgroundMailer } from "./messaging/mailer.ts";
import type { KeyUses } from "./accounts/key_uses.ts";
import type { EventHub } from "./events/hub.ts";
import type { RecordViews } from "./events/records.ts";
import type { Providers } from "./accounts/providers.ts";
import type { RateLimiter } from "./accounts/rate_limits.ts";
import type { Tokens } from "./accounts/tokens.ts";
import type { Backups } from "./backups/backups.ts";
import type { JobBook } from "./job_book.ts";
import type { Outages } from "./outages.ts";
import type { Quotas } from "./quotas/quotas.ts";
import type { RequestLog } from "./system/request_log.ts";
import type { WebhookWork } from "./webhooks/work.ts";
import type { VisitCounter } from "./dashboard/visits.ts";

/** The metrics as `GET /metrics` gives them. */
export interface MetricsPage {
  readonly contentType: string;
  /** Everything, as text. */
  expose(): Promise<string>;
}

export interface Services {
  readonly store: Store;
  readonly settings: Settings;
  /** The variables behind the settings. */
  readonly variables: readonly VariableReport[];
  readonly clock: () => Date;
  readonly mailer: BackgroundMailer;
  readonly tokens: Tokens;
  readonly limiter: RateLimiter;
  readonly quotas: Quotas;
  readonly visits: VisitCounter;
  /** Null where no metrics are kept. */
  readonly metrics: MetricsPage | null;
  /** Null where nothing is traced. */
  readonly tracing: Tracing | null;
  readonly documentViews: DocumentViewCounter;
  readonly outages: Outages;
  readonly keyUses: KeyUses;
  readonly providers: Providers;
  /** Records as the API shows them, for what is sent unasked. */
  readonly records: RecordViews;
  readonly events: EventHub;
  readonly webhooks: WebhookWork;
  readonly backups: Backups;
  readonly audit: AuditWork;
  readonly jobs: JobBook;
  readonly requests: RequestLog;
}

/** The client of a request that may not be signed in. */
export interface Visitor {
  readonly services: Services;
  readonly actor: Actor;
  /** The address of the client. */
  readonly ip: string;
  readonly userAgent: string | undefined;
  /** What the device's cookie holds. */
  readonly device: string | undefined;
}
