// The application: every middleware and every route, in order.
import { getLogger } from "@logtape/logtape";
import { type Context, Hono } from "hono";
import type { Settings } from "./config/settings.ts";
import type { Module, Variant } from "./config/variants.ts";
import { ApiError } from "./core/errors.ts";
import type { Tracing } from "./core/tracing.ts";
import { createServices, type ServiceOptions } from "./services/create_services.ts";
import type { Outages } from "./services/outages.ts";
import type { Services } from "./services/services.ts";
import { EventHub } from "./services/events/hub.ts";
import type { RecordViews } from "./services/events/records.ts";
import { Backups } from "./services/backups/backups.ts";
import { pathToTell } from "./services/system/request_log.ts";
import { Webhooks } from "./services/webhooks/webhooks.ts";
import { type Endpoint, opened } from "./http/endpoint.ts";
import { type Bindings, exchangeOf, type Observed } from "./http/exchange.ts";
import { headOf } from "./http/head.ts";
import { mount } from "./http/mount.ts";
import { nothingAt } from "./http/not_found.ts";
import { VERSION } from "./http/version.ts";
import { knownError, respondError } from "./http/failures.ts";
import { recordViews } from "./http/records.ts";
import { SegmentRouter } from "./http/router.ts";
import { clientAddresses } from "./middleware/client_address.ts";
import { cors } from "./middleware/cors.ts";
import { exchanges } from "./middleware/exchange.ts";
import { guard } from "./middleware/guard.ts";
import type { Metrics } from "./middleware/metrics.ts";
import { snippetHost } from "./middleware/snippet_host.ts";
import { authRoutes, signingIn } from "./routes/accounts/auth.ts";
import { apiKeyRoutes, userApiKeyRoutes } from "./routes/accounts/api_keys.ts";
import { passkeyRoutes } from "./routes/accounts/passkeys.ts";
import { identityRoutes, providerRoutes } from "./routes/accounts/providers.ts";
import { impersonationRoutes } from "./routes/accounts/impersonation.ts";
import { setupRoutes } from "./routes/accounts/setup.ts";
import { secondFactorRoutes, userSecondFactorRoutes } from "./routes/accounts/second_factors.ts";
import { ownSessionRoutes, userSessionRoutes } from "./routes/accounts/sessions.ts";
import { personalDataRoutes } from "./routes/access/personal_data.ts";
import { explanationRoutes } from "./routes/access/explanation.ts";
import { permissionRoutes } from "./routes/access/permissions.ts";
import { avatarRoutes } from "./routes/access/avatars.ts";
import { preferenceRoutes } from "./routes/access/preferences.ts";
import { profileRoutes } from "./routes/access/profile.ts";
import { roleRoutes } from "./routes/access/roles.ts";
import { teamRoutes } from "./routes/access/teams.ts";
import { userImportRoutes } from "./routes/access/user_import.ts";
import { userExportRoutes } from "./routes/access/user_export.ts";
import { userRoutes } from "./routes/access/users.ts";
import { documentExportRoutes } from "./routes/content/document_export.ts";
import { documentImportRoutes } from "./routes/content/document_import.ts";
import { userBatchRoutes } from "./routes/access/user_batches.ts";
import { documentBatchRoutes } from "./routes/content/document_batches.ts";
import { documentPlacementRoutes } from "./routes/content/document_placement.ts";
import { documentRevisionRoutes } from "./routes/content/document_revisions.ts";
import { documentShareRoutes } from "./routes/content/document_shares.ts";
import { documentTagRoutes } from "./routes/content/document_tags.ts";
import { documentRoutes } from "./routes/content/documents.ts";
import { fileExportRoutes } from "./routes/content/file_export.ts";
import { fileBatchRoutes } from "./routes/content/file_batches.ts";
import { fileMarkRoutes } from "./routes/content/file_marks.ts";
import { filePlacementRoutes } from "./routes/content/file_placement.ts";
import { fileSearchRoutes } from "./routes/content/file_search.ts";
import { fileShareRoutes } from "./routes/content/file_shares.ts";
import { fileVersionRoutes } from "./routes/content/file_versions.ts";
import { fileRoutes } from "./routes/content/files.ts";
import { folderRoutes } from "./routes/content/folders.ts";
import {
  documentRenameRoutes,
  fileRenameRoutes,
  folderRenameRoutes,
} from "./routes/content/renames.ts";
import { signedUrlRoutes } from "./routes/content/signed_urls.ts";
import { storageUsageRoutes } from "./routes/content/storage_usage.ts";
import { trashRoutes } from "./routes/content/trash.ts";
import { conversationMessageRoutes } from "./routes/messaging/conversation_messages.ts";
import { conversationRoutes } from "./routes/messaging/conversations.ts";
import { mailboxRoutes, messageRoutes } from "./routes/messaging/messages.ts";
import { notificationDetailRoutes, notificationRoutes } from "./routes/messaging/notifications.ts";
import { attendeeRoutes } from "./routes/calendar/attendees.ts";
import { eventExportRoutes } from "./routes/calendar/event_export.ts";
import { eventImportRoutes } from "./routes/calendar/event_import.ts";
import { calendarRoutes } from "./routes/calendar/calendar.ts";
import { reminderRoutes } from "./routes/calendar/reminders.ts";
import { upcomingRoutes } from "./routes/calendar/upcoming.ts";
import { activityRoutes } from "./routes/dashboard/activities.ts";
import { figureRoutes, userFigureRoutes } from "./routes/dashboard/figures.ts";
import { overviewRoutes } from "./routes/dashboard/overview.ts";
import { taskRoutes } from "./routes/dashboard/tasks.ts";
import { snippetPageRoutes } from "./routes/snippets/snippet_pages.ts";
import { snippetRoutes } from "./routes/snippets/snippets.ts";
import { eventRoutes } from "./routes/events/events.ts";
import { mountDocs } from "./routes/operations/docs.ts";
import { auditRoutes } from "./routes/operations/audit.ts";
import { backupRoutes } from "./routes/operations/backups.ts";
import { batchRoutes } from "./routes/operations/batch.ts";
import { probeRoutes, rootHealthRoutes } from "./routes/operations/health.ts";
import { systemRoutes } from "./routes/operations/system.ts";
import { webhookDeliveryRoutes } from "./routes/operations/webhook_deliveries.ts";
import { webhookRoutes } from "./routes/operations/webhooks.ts";
import { metricsRoutes } from "./routes/operations/metrics.ts";
import { mountLinkPages } from "./routes/pages/link_pages.tsx";
import { createSite } from "./routes/pages/page_answers.tsx";
import { mountProviderPage } from "./routes/pages/provider_page.tsx";
import { mountConsole, type ShowConsole, showUnknown } from "./routes/pages/console.ts";
import { mountStart } from "./routes/pages/start_page.tsx";

export interface AppOptions extends ServiceOptions {
  /** What ids of events begin with: see `journalOf`. @default nothing */
  readonly journal?: string;
  /** See `loadMetrics`. @default none are kept */
  readonly metrics?: Metrics | null;
  /** See `startTracing`. @default nothing is traced */
  readonly tracing?: Tracing | null;
  /** See `loadMcp`. @default none */
  readonly mcp?: readonly Endpoint[];
}

export interface App {
  readonly fetch: (request: Request, info?: unknown) => Response | Promise<Response>;
  readonly services: Services;
  readonly endpoints: readonly Endpoint[];
}

const log = getLogger(["quarterdeck", "http"]);

/** What each module mounts. */
const modules: Readonly<Record<Module, readonly Endpoint[]>> = {
  auth: [
    ...authRoutes,
    ...setupRoutes,
    ...secondFactorRoutes,
    ...passkeyRoutes,
    ...providerRoutes,
    ...identityRoutes,
    ...ownSessionRoutes,
    ...apiKeyRoutes,
  ],
  users: [
    ...profileRoutes,
    ...preferenceRoutes,
    ...avatarRoutes,
    ...userRoutes,
    ...userExportRoutes,
    ...userBatchRoutes,
    ...userImportRoutes,
    ...userSessionRoutes,
    ...userSecondFactorRoutes,
    ...userApiKeyRoutes,
    ...impersonationRoutes,
    ...personalDataRoutes,
    ...explanationRoutes,
  ],
  roles: roleRoutes,
  permissions: permissionRoutes,
  teams: teamRoutes,
  documents: [
    ...documentRoutes,
    ...documentExportRoutes,
    ...documentImportRoutes,
    ...documentRenameRoutes,
    ...documentBatchRoutes,
  ],
  documentRevisions: documentRevisionRoutes,
  documentShares: documentShareRoutes,
  documentTags: documentTagRoutes,
  documentPlacement: documentPlacementRoutes,
  folders: [...folderRoutes, ...folderRenameRoutes],
  files: [
    ...fileRoutes,
    ...fileExportRoutes,
    ...fileRenameRoutes,
    ...fileMarkRoutes,
    ...signedUrlRoutes,
  ],
  fileShares: fileShareRoutes,
  fileVersions: fileVersionRoutes,
  filePlacement: filePlacementRoutes,
  fileBatches: fileBatchRoutes,
  fileSearch: fileSearchRoutes,
  storageUsage: storageUsageRoutes,
  trash: trashRoutes,
  messages: messageRoutes,
  mailbox: mailboxRoutes,
  conversations: [...conversationRoutes, ...conversationMessageRoutes],
  notifications: notificationRoutes,
  notificationDetails: notificationDetailRoutes,
  calendar: [...calendarRoutes, ...eventExportRoutes, ...eventImportRoutes],
  attendees: attendeeRoutes,
  reminders: reminderRoutes,
  upcoming: upcomingRoutes,
  dashboard: [...figureRoutes, ...taskRoutes, ...overviewRoutes],
  activities: [...activityRoutes, ...userFigureRoutes],
  webhooks: [...webhookRoutes, ...webhookDeliveryRoutes],
  audit: auditRoutes,
  backups: backupRoutes,
  snippets: [...snippetRoutes, ...snippetPageRoutes],
};

/** What a variant mounts, by module. */
export function modulesOf(variant: Variant): [module: string, endpoints: Endpoint[]][] {
  const operations = variant.operations ? [...rootHealthRoutes, ...metricsRoutes] : [];
  const mounted: [string, readonly Endpoint[]][] = [
    ...variant.modules.map((module): [string, readonly Endpoint[]] => [module, modules[module]]),
    // Who has no records has nothing to be told of.
    ...(variant.modules.includes("users")
      ? [["events", eventRoutes], ["system", systemRoutes]] as [string, readonly Endpoint[]][]
      : []),
    ["operations", [...probeRoutes, ...operations, ...batchRoutes]],
  ];
  return mounted.map(([module, all]) => [
    module,
    all.map((one) => signingIn(opened(one, variant.open), variant)),
  ]);
}

/** The endpoints of a variant. */
export function endpointsOf(variant: Variant): Endpoint[] {
  return modulesOf(variant).flatMap(([, endpoints]) => endpoints);
}

/** The metrics of an application where the variant has any; their library is not loaded for the others. */
export async function loadMetrics(variant: Variant): Promise<Metrics | null> {
  if (!variant.operations) return null;
  const { createMetrics } = await import("./middleware/metrics.ts");
  return createMetrics({ version: VERSION });
}

/** What traces, where Deno exports traces; its library is not loaded otherwise. */
export async function startTracing({ storeUrl }: Settings): Promise<Tracing | null> {
  const { loadTracing } = await import("./core/tracing.ts");
  const [scheme = ""] = storeUrl.split(":", 1);
  // https://opentelemetry.io/docs/specs/semconv/registry/attributes/db/ knows no name for Deno KV.
  const systems: Readonly<Record<string, string>> = { kv: "deno_kv", sqlite: "sqlite" };
  return await loadTracing(systems[scheme] ?? "postgresql");
}

/** The route for programs where MCP is on; its library is not loaded otherwise. */
export async function loadMcp({ mcp }: Settings): Promise<readonly Endpoint[]> {
  return mcp ? (await import("./routes/operations/mcp.ts")).mcpRoutes : [];
}

export function createApp(options: AppOptions): App {
  const { settings, metrics = null, tracing = null } = options;
  const { basePath, variant } = settings;
  const { addressOf, addressFrom, isShared } = clientAddresses(settings.trustedProxies);
  const endpoints = [...endpointsOf(variant), ...options.mcp ?? []];
  const records = recordViews([...endpoints, ...alsoShown(variant)], () => services);
  const services: Services = {
    ...createServices(options, isShared),
    records,
    events: createEvents(options, records),
    webhooks: new Webhooks(() => services),
    backups: new Backups(settings, options.clock ?? (() => new Date())),
  };

  const app = new Hono({ router: new SegmentRouter() });
  if (settings.snippets.origin !== undefined) app.use(snippetHost(settings.snippets.origin));
  if (variant.cookies) app.use(guard(services, endpoints));
  mount(app, endpoints, { services, basePath, addressOf });
  mountDocs(app, endpoints, { basePath, variant });
  const site = createSite(app, { services, addressOf });
  const served = modulesOf(variant).map(([module]) => module);
  let showConsole: ShowConsole | null = null;
  if (settings.console) {
    const { icon } = site.assets;
    showConsole = mountConsole(app, { services, modules: served, icon });
    mountStart(site, showConsole);
  } else {
    mountStart(site);
    mountLinkPages(site);
    mountProviderPage(site);
  }
  const style = { variant, basePath };
  // Not a route of its own: Hono answers at once where a path has a single handler, else by promises.
  app.notFound((c) => {
    const page = showConsole && showUnknown(c, showConsole, basePath);
    if (page) return page;
    const answer = nothingAt(app, c);
    return answer instanceof ApiError ? respondError(c, style, answer) : answer;
  });
  app.onError((thrown, c) => respondError(c, style, errorOf(thrown, c, services.outages)));

  const crossOrigin = cors({ origins: settings.corsOrigins });
  const observed = exchanges({
    observers: [
      ...(log.isEnabledFor("info") ? [accessLog] : []),
      ...(metrics ? [metrics.request] : []),
    ],
    record(request, { status }, { exchange, info }, duration) {
      const { requestId, startedAt, route, userId } = exchange;
      services.requests.note({
        method: request.method,
        url: request.url,
        status,
        duration,
        address: addressFrom(request, info),
        requestId,
        startedAt,
        route,
        userId,
      });
    },
    tracing,
    strictTransport: settings.publicUrl.startsWith("https:"),
  });
  const serve = (request: Request, bindings: Bindings) => app.fetch(request, bindings);
  const fetch = observed((request, bindings) =>
    crossOrigin(request, bindings.exchange.headers) ??
      (request.method === "HEAD" ? headOf(request, bindings, serve) : serve(request, bindings))
  );
  return { fetch, services, endpoints };
}

/** Where conversations are served and the mailbox is not, events show a message as the mailbox would. */
function alsoShown({ modules, open }: Variant): Endpoint[] {
  return modules.includes("messages") ? mailboxRoutes.map((one) => opened(one, open)) : [];
}

function createEvents(
  { store, settings, journal, clock = () => new Date() }: AppOptions,
  views: RecordViews,
): EventHub {
  const { streams: total, streamsPerUser: perUser } = settings.events;
  return new EventHub({ store, journal, views, clock, limits: { total, perUser } });
}

function accessLog(observed: Observed): void {
  log.info("{method} {path} {status}", { ...observed });
}

/** What a thrown value is answered with. Only what is the server's fault is logged: defects each, outages once. */
function errorOf(thrown: unknown, c: Context, outages: Outages): ApiError {
  const error = knownError(thrown) ?? new ApiError("INTERNAL_ERROR", undefined, { cause: thrown });
  // Without a cause nothing is broken: a request is refused for want of room.
  if (error.status >= 500 && error.cause !== undefined && !outages.counts(error.cause)) {
    const { requestId, trace, route } = exchangeOf(c);
    const { method, url } = c.req;
    const path = pathToTell(url, route);
    const { cause } = error;
    const traceId = trace?.id;
    log.error("{method} {path} failed", { method, path, requestId, traceId, error: cause });
  }
  return error;
}
