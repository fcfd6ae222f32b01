// What every handler may use: the store, the settings, and the few things that tests replace.
import type { Config } from "../config.ts";
import type { Store } from "../store.ts";
import type { DocumentViewCounter } from "./document_views.ts";
import type { BackgroundMailer } from "./mailer.ts";
import type { Metrics } from "./observed_store.ts";
import type { RateLimiter } from "./rate_limits.ts";
import type { Tokens } from "./tokens.ts";
import type { VisitCounter } from "./visits.ts";

export interface Services {
  readonly store: Store;
  readonly config: Config;
  readonly clock: () => Date;
  readonly mailer: BackgroundMailer;
  readonly tokens: Tokens;
  readonly limiter: RateLimiter;
  readonly visits: VisitCounter;
  /** Null where none are kept. */
  readonly metrics: Metrics | null;
  readonly documentViews: DocumentViewCounter;
}
