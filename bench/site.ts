// What benchmarks share: a seeded store, and signing in to its server.
import { permissions } from "../tests/start_task.ts";
import type { Seeded } from "./seed.ts";
import { credentials } from "./workloads.ts";

const root = new URL("..", import.meta.url).pathname;

/** Fills the store that the URL names with so many users and documents, in a process of its own. */
export async function seedStore(url: string, rows: number): Promise<Seeded> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", ...permissions, "bench/seed.ts", "--url", url, "--rows", String(rows)],
    cwd: root,
  }).output();
  if (!success) throw new Error(`Cannot seed: ${new TextDecoder().decode(stderr)}`);
  return JSON.parse(new TextDecoder().decode(stdout));
}

/** @returns The access token of the administrator that the seed makes. */
export async function signIn(origin: string): Promise<string> {
  const response = await fetch(`${origin}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(credentials),
  });
  return (await response.json()).accessToken;
}
