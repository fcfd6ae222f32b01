// The application: every middleware and every route, in order.
import { getLogger } from "@logtape/logtape";
import { Hono } from "hono";
import type { Config } from "./config.ts";
import type { Endpoint } from "./endpoint.ts";
import { ApiError } from "./errors.ts";
import { cors } from "./middleware/cors.ts";
import { clientAddress, exchangeOf, exchanges, type Observed } from "./middleware/exchange.ts";
import { guard } from "./middleware/guard.ts";
import { mount } from "./mount.ts";
import { VERSION } from "./openapi.ts";
import { knownError, respondError } from "./respond.ts";
import { SegmentRouter } from "./router.ts";
import { authRoutes } from "./routes/auth.ts";
import { calendarRoutes } from "./routes/calendar.ts";
import { calendarSharingRoutes } from "./routes/calendar_sharing.ts";
import { conversationRoutes } from "./routes/conversations.ts";
import { documentSharingRoutes } from "./routes/document_sharing.ts";
import { documentRoutes } from "./routes/documents.ts";
import { dashboardRoutes } from "./routes/dashboard.ts";
import { dashboardFullRoutes } from "./routes/dashboard_full.ts";
import { mountDocs } from "./routes/docs.ts";
import { mailboxRoutes, messageRoutes } from "./routes/messages.ts";
import { metricsRoutes } from "./routes/metrics.ts";
import { notificationDetailRoutes, notificationRoutes } from "./routes/notifications.ts";
import { fileManagementRoutes } from "./routes/file_management.ts";
import { fileSharingRoutes } from "./routes/file_sharing.ts";
import { fileVersionRoutes } from "./routes/file_versions.ts";
import { fileRoutes } from "./routes/files.ts";
import { folderRoutes } from "./routes/folders.ts";
import { probeRoutes, rootHealthRoutes } from "./routes/operations.ts";
import { mountPages } from "./routes/pages.tsx";
import { permissionRoutes } from "./routes/permissions.ts";
import { roleRoutes } from "./routes/roles.ts";
import { ownSessionRoutes, userSessionRoutes } from "./routes/sessions.ts";
import { snippetRoutes } from "./routes/snippets.ts";
import { teamRoutes } from "./routes/teams.ts";
import { userRoutes } from "./routes/users.ts";
import { createDocumentViewCounter } from "./services/document_views.ts";
import type { BackgroundMailer } from "./services/mailer.ts";
import { type Metrics, observeStore } from "./services/observed_store.ts";
import { RateLimiter } from "./services/rate_limits.ts";
import type { Services } from "./services/services.ts";
import { createTokens } from "./services/tokens.ts";
import { createVisitCounter } from "./services/visits.ts";
import type { Store } from "./store.ts";
import type { Module, Variant } from "./variants.ts";

export interface AppOptions {
  readonly store: Store;
  readonly config: Config;
  readonly mailer: BackgroundMailer;
  /** @default the system's */
  readonly clock?: () => Date;
  /** See `loadMetrics`. @default none are kept */
  readonly metrics?: Metrics | null;
}

export interface App {
  readonly fetch: (request: Request, info?: unknown) => Response | Promise<Response>;
  readonly services: Services;
  readonly endpoints: readonly Endpoint[];
}

const log = getLogger(["quarterdeck", "http"]);

/** What each module mounts. */
const modules: Readonly<Partial<Record<Module, readonly Endpoint[]>>> = {
  files: fileRoutes,
  fileManagement: [...fileManagementRoutes, ...fileVersionRoutes, ...fileSharingRoutes],
  folders: folderRoutes,
  auth: [...authRoutes, ...ownSessionRoutes],
  users: [...userRoutes, ...userSessionRoutes],
  teams: teamRoutes,
  documents: documentRoutes,
  documentSharing: documentSharingRoutes,
  roles: roleRoutes,
  permissions: permissionRoutes,
  messages: messageRoutes,
  mailbox: mailboxRoutes,
  conversations: conversationRoutes,
  notifications: notificationRoutes,
  notificationDetails: notificationDetailRoutes,
  calendar: calendarRoutes,
  calendarSharing: calendarSharingRoutes,
  dashboard: dashboardRoutes,
  dashboardFull: dashboardFullRoutes,
  snippets: snippetRoutes,
};

/** The endpoints of a variant. */
export function endpointsOf(variant: Variant): Endpoint[] {
  const mounted = variant.modules.flatMap((module) => modules[module] ?? []);
  const operations = variant.operations ? [...rootHealthRoutes, ...metricsRoutes] : [];
  return [...mounted, ...probeRoutes, ...operations];
}

/** The metrics of an application where the variant has any; their library is not loaded for the others. */
export async function loadMetrics(variant: Variant): Promise<Metrics | null> {
  if (!variant.operations) return null;
  const { createMetrics } = await import("./middleware/metrics.ts");
  return createMetrics({ version: VERSION });
}

export function createApp(options: AppOptions): App {
  const { config, mailer, clock = () => new Date(), metrics = null } = options;
  const store = metrics ? observeStore(options.store, metrics.operation) : options.store;
  const services: Services = {
    store,
    config,
    clock,
    mailer,
    tokens: createTokens({ secrets: config.secrets, lifetimes: config.lifetimes, clock }),
    limiter: new RateLimiter({ clock, enabled: config.rateLimits }),
    visits: createVisitCounter(store, clock),
    metrics,
    documentViews: createDocumentViewCounter(store),
  };
  const endpoints = endpointsOf(config.variant);
  const { basePath, variant } = config;

  const app = new Hono({ router: new SegmentRouter() });
  if (variant.cookies) app.use(guard(services, endpoints));
  const addressOf = clientAddress(config.trustedProxies);
  mount(app, endpoints, { services, basePath, addressOf });
  mountDocs(app, endpoints, { basePath, variant });
  if (variant.modules.includes("pages")) mountPages(app, { services, addressOf });

  app.notFound((c) => {
    const allowed = allowedMethods(app, c.req.path);
    const error = allowed.length > 0
      ? new ApiError("METHOD_NOT_ALLOWED", undefined, { headers: { allow: allowed.join(", ") } })
      : new ApiError("NOT_FOUND", "There is nothing at this path");
    return respondError(c, variant, error);
  });
  app.onError((thrown, c) => {
    const error = knownError(thrown) ??
      new ApiError("INTERNAL_ERROR", undefined, { cause: thrown });
    if (error.status >= 500) {
      const { requestId } = exchangeOf(c);
      log.error("{method} {path} failed", {
        method: c.req.method,
        path: c.req.path,
        requestId,
        error: error.cause,
      });
    }
    return respondError(c, variant, error);
  });

  const crossOrigin = cors({ origins: config.corsOrigins });
  const observed = exchanges({
    observers: [
      ...(log.isEnabledFor("info") ? [accessLog] : []),
      ...(metrics ? [metrics.request] : []),
    ],
    strictTransport: config.publicUrl.startsWith("https:"),
  });
  const fetch = observed((request, bindings) =>
    crossOrigin(request, bindings.exchange.headers) ?? app.fetch(request, bindings)
  );
  return { fetch, services, endpoints };
}

function accessLog(observed: Observed): void {
  log.info("{method} {path} {status}", { ...observed });
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** The methods that some route takes at a path. */
function allowedMethods(app: Hono, path: string): string[] {
  return METHODS.filter((method) =>
    app.router.match(method, path)[0].some(([[, route]]) => !route.path.includes("*"))
  );
}
