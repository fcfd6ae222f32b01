// The start: reads the settings, takes the port, opens the store, serves, and ends everything on a signal.
import { getLogger } from "@logtape/logtape";
import { createApp, loadMcp, loadMetrics, startTracing } from "./app.ts";
import { localPath, SettingsError } from "./config/environment.ts";
import type { Settings } from "./config/settings.ts";
import { startJobs } from "./services/jobs.ts";
import { answerHelp, print, printError } from "./core/command_line.ts";
import { setUpLogs } from "./core/log.ts";
import { tooOpen } from "./core/private_files.ts";
import { type Part, stopAll } from "./core/shutdown.ts";
import { Listener } from "./http/listener.ts";
import { passkeys } from "./models/passkeys.ts";
import { openStore } from "./storage/open.ts";
import { StoreUnavailable } from "./storage/port.ts";
import { journalOf } from "./storage/state.ts";
import { warnOfMissingRoles } from "./services/access/required_factors.ts";
import { createFirstAdmin, seedRoles } from "./services/accounts/first_start.ts";
import { backgroundMailer, openMailer, warnOfLostMails } from "./services/messaging/mailer.ts";
import { awaitsSetup } from "./services/accounts/setup.ts";
import { protocol } from "./services/accounts/webauthn.ts";
import { readSettings } from "./config/read.ts";
import type { Store } from "./storage/port.ts";

/**
 * Milliseconds after a signal by which each part is to be done: streams of events, requests in flight, jobs and their
 * last counts, the audit log's chain, mails that wait, the store, the log. Service managers wait longer (Docker 10 s,
 * Kubernetes 30 s, systemd 90 s).
 */
const BY = {
  events: 200,
  requests: 2000,
  jobs: 2100,
  chain: 2250,
  mails: 2450,
  store: 2650,
  logs: 2800,
};

/** Exit codes of a process that a signal ended: 128 and the number of the signal. */
const KILLED = { SIGINT: 130, SIGTERM: 143 } as const;

const USAGE = `Usage: deno task start

Serves the API until a signal ends it. It takes no options: settings come from the environment or from .env, and
.env.example explains each. VARIANT=compact|full|web|snippets chooses what is served, PORT where.`;

type Handler = (request: Request, info: unknown) => Response | Promise<Response>;

/** @throws {SettingsError} Something stands behind the command: dropped in silence, it would be taken for heeded. */
function requireNoOptions(): void {
  const [given] = Deno.args;
  if (given === undefined) return;
  throw new SettingsError(
    `Cannot start: '${given}': there are no options. Set a variable, such as PORT=9000, or see --help`,
  );
}

async function start(): Promise<void> {
  requireNoOptions();
  const { settings: read, notices, keepSecrets } = await readSettings();
  const stop = stopOnSignals();
  stop.push({ task: "write the log", by: BY.logs, stop: await setUpLogs(read.logLevel) });

  // The port is taken first, so that nothing is created where it cannot be had. Early requests wait for the rest.
  const ready = Promise.withResolvers<void>();
  let serve: Handler = async (request, info) => {
    await ready.promise;
    return serve(request, info);
  };
  const listener = listen(read, (request, info) => serve(request, info));
  stop.push({ task: "answer all requests", by: BY.requests, stop: () => listener.close() });

  const { settings, variables } = await keepSecrets();
  const { storeUrl: url, cacheMaxBytes, database } = settings;
  const store = await openStore({ url, cacheMaxBytes, database, alone: true });
  stop.push({ task: "close the store", by: BY.store, stop: () => store.close() });
  await seedRoles(store, settings.variant);
  const admin = settings.setup ? null : await createFirstAdmin(store, settings.admin);
  const demo = settings.mock ? await fillDemo(store, settings) : [];

  const mailLog = getLogger(["quarterdeck", "mail"]);
  warnOfLostMails(settings, mailLog);
  await warnOfMissingRoles(store, settings, getLogger("quarterdeck"));
  const mailer = backgroundMailer(openMailer(settings, mailLog), mailLog);
  const metrics = await loadMetrics(settings.variant);
  const tracing = await startTracing(settings);
  const mcp = await loadMcp(settings);
  const { fetch, services } = createApp({
    store,
    journal: await journalOf(store),
    settings,
    variables,
    mailer,
    metrics,
    tracing,
    mcp,
  });
  stop.push({ task: "end the event streams", by: BY.events, stop: () => services.events.close() });
  const closeMailer = () => mailer.close(BY.mails - BY.chain);
  stop.push({ task: "send all mails", by: BY.mails, stop: closeMailer });
  stop.push({ task: "write the last counts", by: BY.jobs, stop: startJobs(services) });
  // After the jobs, whose writes are in it too.
  const chain = "finish the audit log's chain, which the next start goes on with";
  stop.push({ task: chain, by: BY.chain, stop: () => services.audit.link() });

  if (await store.from(passkeys).count() > 0) await protocol();
  serve = fetch;
  ready.resolve();
  void store.warmUp();
  services.providers.warmUp();
  announce(settings, listener.port, store, admin, [
    ...notices,
    ...tooOpen(dataFiles(url)),
    ...demo,
  ]);
  // Told apart, for whether there is an administrator may take reading all accounts.
  if (await awaitsSetup(store, settings)) print(setupLine(settings, listener.port));
}

/**
 * On the first signal the parts are stopped in the order of their times, and the exit code is 0 even where one of them
 * fails: all that was acknowledged to clients is in the store already. A second signal ends the process at once.
 */
function stopOnSignals(): Part[] {
  const parts: Part[] = [];
  let stopping = false;
  async function stop() {
    stopping = true;
    const log = getLogger("quarterdeck");
    const inOrder = parts.toSorted((a, b) => a.by - b.by);
    await stopAll(
      inOrder,
      (task, reason) => log.warn("Cannot {task}: {reason}", { task, reason }),
    );
    Deno.exit(0);
  }
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    Deno.addSignalListener(signal, () => stopping ? Deno.exit(KILLED[signal]) : stop());
  }
  return parts;
}

/** @throws {SettingsError} The port cannot be had. */
function listen(settings: Settings, handler: Handler): Listener {
  const { port, hostname, database } = settings;
  try {
    return new Listener({ port, hostname, beside: database.poolSize }, handler);
  } catch (error) {
    throw new SettingsError(portProblem(error, port, hostname), { cause: error });
  }
}

function portProblem(error: unknown, port: number, hostname: string): string {
  if (error instanceof Deno.errors.AddrInUse) {
    return `Cannot start: PORT: ${port} is taken on ${hostname}: another program listens there. End it, or choose another port, such as PORT=${
      port + 1
    }`;
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return `Cannot start: PORT: ${port} is not allowed: ports below 1024 are for privileged users. Choose another, such as PORT=8000`;
  }
  const reason = error instanceof Error ? error.message : String(error);
  return `Cannot start: HOST, PORT: nothing can listen on ${hostname}:${port}: ${reason}`;
}

/** The file of a store on this machine, and the write-ahead log that SQLite keeps beside it. */
function dataFiles(storeUrl: string): string[] {
  const path = localPath(storeUrl);
  return path === null ? [] : [path, `${path}-wal`];
}

/** Fills in the demo data; its code is loaded only when it is asked for. */
async function fillDemo(store: Store, settings: Settings): Promise<string[]> {
  const { fillDemoData } = await import("./services/demo/demo.ts");
  return await fillDemoData(store, settings);
}

/** How the administrator is named: by a person where the console is served, or by a program. */
function setupLine({ basePath, console }: Settings, port: number): string {
  const origin = `http://localhost:${port}`;
  const body = `'{"name":"…","email":"…","password":"…"}'`;
  const request = `curl ${origin}${basePath}/setup -H content-type:application/json -d ${body}`;
  if (!console) return `Name the administrator: ${request}`;
  return `Open ${origin}/ to name the administrator (or: ${request})`;
}

function announce(
  settings: Settings,
  port: number,
  store: Store,
  admin: Awaited<ReturnType<typeof createFirstAdmin>>,
  notices: readonly string[],
): void {
  const origin = `http://localhost:${port}`;
  const lines = [
    `Quarterdeck (${settings.variant.name}) listens on ${origin}${settings.basePath}`,
    `API page: ${origin}${settings.basePath}/docs`,
    `Data: ${store.engine}`,
    ...notices,
  ];
  if (admin?.generatedPassword) {
    const [bold, plain] = Deno.stdout.isTerminal() ? ["\x1b[1m", "\x1b[0m"] : ["", ""];
    const { email, generatedPassword } = admin;
    lines.push(
      "",
      `${bold}>>> Sign in as ${email} with the password ${generatedPassword} (shown once)${plain}`,
      "",
    );
  } else if (admin) {
    lines.push(`Sign in as ${admin.email} with ADMIN_PASSWORD`);
  }
  print(lines.join("\n"));
}

/** What went wrong at the start, for a person: no stack for what they can mend. */
function explain(error: unknown): string {
  if (error instanceof SettingsError) return error.message;
  if (error instanceof StoreUnavailable) return `Cannot start: DATABASE_URL: ${error.message}`;
  return error instanceof Error ? `Cannot start: ${error.message}` : String(error);
}

answerHelp(USAGE);
try {
  await start();
} catch (error) {
  printError(explain(error));
  Deno.exit(1);
}
