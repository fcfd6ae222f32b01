// The start: environment, store, server, shutdown. Nothing else touches the process.
import { getLogger } from "@logtape/logtape";
import { createApp, loadMetrics } from "./app.ts";
import { type Config, ConfigError } from "./config.ts";
import { startJobs } from "./jobs.ts";
import { setUpLogs } from "./log.ts";
import { openStore } from "./open.ts";
import { createFirstAdmin, seedRoles } from "./services/first_start.ts";
import { backgroundMailer, openMailer } from "./services/mailer.ts";
import { readSettings } from "./settings.ts";
import type { Store } from "./store.ts";

/** Milliseconds that requests in flight have to finish; the process ends within 3 s of SIGTERM. */
const DRAIN = 2000;

async function start(): Promise<void> {
  const { config, notices } = await readSettings();
  const flushLogs = await setUpLogs(config.logLevel);
  const store = await openStore({
    url: config.storeUrl,
    cacheMaxBytes: config.cacheMaxBytes,
    database: config.database,
  });
  await seedRoles(store, config.variant);
  const admin = await createFirstAdmin(store, config.admin);
  const demo = config.mock ? await fillDemo(store, config) : [];

  const mailLog = getLogger(["quarterdeck", "mail"]);
  const mailer = backgroundMailer(openMailer(config, mailLog), mailLog);
  const metrics = await loadMetrics(config.variant);
  const { fetch, services } = createApp({ store, config, mailer, metrics });
  const stopJobs = startJobs(services);
  const server = Deno.serve({
    port: config.port,
    hostname: config.hostname,
    onListen: ({ port }) => announce(config, port, store, admin, [...notices, ...demo]),
  }, fetch);

  let stopping = false;
  async function stop() {
    if (stopping) return;
    stopping = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => timer = setTimeout(resolve, DRAIN));
    await Promise.race([server.shutdown(), late]);
    clearTimeout(timer);
    await stopJobs();
    await mailer.close();
    await store.close();
    await flushLogs();
    Deno.exit(0);
  }
  for (const signal of ["SIGTERM", "SIGINT"] as const) Deno.addSignalListener(signal, stop);
}

/** Loaded only when asked for. */
async function fillDemo(store: Store, config: Config): Promise<string[]> {
  const { fillDemoData } = await import("./services/demo.ts");
  return await fillDemoData(store, config);
}

function announce(
  config: Config,
  port: number,
  store: Store,
  admin: Awaited<ReturnType<typeof createFirstAdmin>>,
  notices: readonly string[],
): void {
  const origin = `http://localhost:${port}`;
  const lines = [
    `Quarterdeck (${config.variant.name}) listens on ${origin}${config.basePath}`,
    `API page: ${origin}${config.basePath}/docs`,
    `Data: ${store.engine}`,
    ...notices,
  ];
  if (admin?.generatedPassword) {
    lines.push(
      `Sign in as ${admin.email} with the password ${admin.generatedPassword} (shown once)`,
    );
  } else if (admin) {
    lines.push(`Sign in as ${admin.email} with ADMIN_PASSWORD`);
  }
  Deno.stdout.writeSync(new TextEncoder().encode(lines.join("\n") + "\n"));
}

/** What went wrong at the start, for a person: no stack for what they can mend. */
function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  return error instanceof Error ? `Cannot start: ${error.message}` : String(error);
}

try {
  await start();
} catch (error) {
  Deno.stderr.writeSync(new TextEncoder().encode(explain(error) + "\n"));
  Deno.exit(1);
}
