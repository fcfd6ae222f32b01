// A private Postgres cluster that a test may stop and start: its own directory, its own port. It ends with the test's
// process, however that ends.
import { freePort } from "../ports.ts";

export interface Cluster {
  readonly url: string;
  readonly directory: string;
  /** Makes a file the server's own, which nobody else may read. */
  own(path: string): Promise<void>;
  start(): Promise<void>;
  /** `fast` ends the connections in an orderly way, `immediate` as a crash does. */
  stop(mode: "fast" | "immediate"): Promise<void>;
  /** Stops its processes where they are: connections stay, and nothing is answered. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  remove(): Promise<void>;
}

/**
 * Waits until its input ends, which it does with the process that holds the other end, then removes the cluster whose
 * directory it is given. The server may be frozen; QUIT ends it at once.
 */
const WATCHDOG = `
  trap "" INT TERM HUP
  cat > /dev/null
  if read pid < "$1/data/postmaster.pid"; then
    kill -CONT "$pid" $(cat "/proc/$pid/task/$pid/children")
    kill -QUIT "$pid"
    while kill -0 "$pid"; do sleep 0.05; done
  fi
  rm -rf "$1"
`;

export async function createCluster(): Promise<Cluster> {
  const directory = await Deno.makeTempDir({ prefix: "quarterdeck-postgres-" });
  // In a session of its own, so that what ends the test's whole process group leaves it to do its work.
  const watchdog = new Deno.Command("setsid", {
    args: ["sh", "-c", WATCHDOG, "sh", directory],
    stdin: "piped",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const { stdout } = await new Deno.Command("id", { args: ["-u"] }).output();
  const asRoot = new TextDecoder().decode(stdout).trim() === "0";
  if (asRoot) await run("chown", ["postgres:", directory]);
  const data = `${directory}/data`;
  const port = freePort();
  const bin = await binaries();
  // Postgres refuses to run as root.
  const postgres = (program: string, args: string[]) =>
    asRoot
      ? run("setpriv", [
        "--reuid=postgres",
        "--regid=postgres",
        "--init-groups",
        `${bin}/${program}`,
        ...args,
      ])
      : run(`${bin}/${program}`, args);
  const options =
    `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${directory}`;
  await postgres("initdb", ["-D", data, "-U", "postgres", "-A", "trust", "--no-sync"]);
  const start = () =>
    postgres("pg_ctl", ["-D", data, "-w", "-l", `${directory}/log`, "-o", options, "start"]);
  const stop = (mode: string) => postgres("pg_ctl", ["-D", data, "-w", "-m", mode, "stop"]);
  const signal = async (name: "SIGSTOP" | "SIGCONT") => {
    for (const pid of await processesOf(`${data}/postmaster.pid`)) {
      try {
        Deno.kill(pid, name);
      } catch (error) {
        // A worker that has ended meanwhile.
        if (!(error instanceof Deno.errors.NotFound || /ESRCH/.test(String(error)))) throw error;
      }
    }
  };
  await start();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    directory,
    start,
    stop,
    async own(path) {
      await Deno.chmod(path, 0o600);
      if (asRoot) await run("chown", ["postgres:", path]);
    },
    freeze: () => signal("SIGSTOP"),
    thaw: () => signal("SIGCONT"),
    async remove() {
      await watchdog.stdin.close();
      await watchdog.status;
    },
  };
}

/** The server that the file names, and its children. */
async function processesOf(pidFile: string): Promise<number[]> {
  const main = Number((await Deno.readTextFile(pidFile)).split("\n")[0]);
  // Deno itself reads nothing in /proc without every permission.
  const children = await new Deno.Command("cat", { args: [`/proc/${main}/task/${main}/children`] })
    .output();
  return [
    main,
    ...new TextDecoder().decode(children.stdout).trim().split(" ").filter(Boolean).map(Number),
  ];
}

async function run(command: string, args: string[]): Promise<void> {
  // pg_ctl leaves its server with the output: a pipe would never end.
  const log = await Deno.makeTempFile();
  const shell = ["-c", 'out="$1"; shift; exec "$@" > "$out" 2>&1', "sh", log, command, ...args];
  const { code } = await new Deno.Command("sh", { args: shell, stdin: "null" }).spawn().status;
  const output = await Deno.readTextFile(log);
  await Deno.remove(log);
  if (code !== 0) throw new Error(`Cannot run ${command} ${args.join(" ")}: ${output}`);
}

/** Where the newest installed Postgres has its programs. */
async function binaries(): Promise<string> {
  const root = "/usr/lib/postgresql";
  const versions: number[] = [];
  for await (const { name } of Deno.readDir(root)) versions.push(Number(name));
  return `${root}/${Math.max(...versions)}/bin`;
}
