// The examples of the API document: requests that the tests send, with what the server answered. `deno task examples`
// writes them anew.
import assert from "node:assert/strict";
import { fullPath } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { type Harness, harness, PASSWORD, type Reply } from "./harness.ts";
import { type Scene, sceneOf, writeTo, writingEndpoints } from "./writes.ts";

/** By operationId. */
export type Examples = Record<string, { body?: unknown; answer?: unknown }>;

/** Where the examples stand. */
export const EXAMPLES: URL = new URL("../http/openapi/examples.json", import.meta.url);

/** Asks every endpoint that can be asked, and keeps what was sent and answered. */
export async function makeExamples(): Promise<Examples> {
  const examples: Examples = {};
  for (const variant of ["full", "compact"]) {
    await using h = await harness({ variant, env: { RATE_LIMIT: "false" } });
    const keep = ({ operationId }: Endpoint, body: unknown, reply: Reply) => {
      assert.ok(reply.status < 300, `${operationId}: ${reply.text}`);
      const sent = body === undefined || body instanceof FormData ? {} : { body };
      examples[operationId] ??= {
        ...sent,
        ...(reply.body === undefined ? {} : { answer: reply.body }),
      };
    };
    await signIns(h, keep);
    for (const endpoint of writingEndpoints(h)) {
      if (examples[endpoint.operationId]) continue;
      const scene = await sceneOf(h);
      const { path, body } = await writeTo(endpoint, scene);
      const method = endpoint.method.toUpperCase();
      keep(endpoint, body, await h.ask(method, path, { token: scene.token, body }));
    }
    await reads(h, keep);
  }
  return Object.fromEntries(
    Object.entries(examples).sort(([a], [b]) => a < b ? -1 : 1)
      .map(([name, example]) => [name, shortened(example)]),
  ) as Examples;
}

type Keep = (endpoint: Endpoint, body: unknown, reply: Reply) => void;

/** What people do before they are known. */
async function signIns(h: Harness, keep: Keep): Promise<void> {
  const named = (id: string) => h.app.endpoints.find(({ operationId }) => operationId === id)!;
  const post = async (id: string, body: unknown) => {
    const endpoint = named(id);
    const reply = await h.ask("POST", fullPath(endpoint, h.settings.basePath), { body });
    keep(endpoint, body, reply);
    return reply;
  };
  const email = "user@example.com";
  const { body } = await post("login", { email, password: PASSWORD });
  await post("refreshTokens", { refreshToken: body.refreshToken });
  const newcomer = { name: "New Person", email: "new@example.com", password: PASSWORD };
  await post("register", newcomer);
  const token = h.mailedToken(newcomer.email);
  await post("verifyEmail", { token, password: PASSWORD });
  await post("forgotPassword", { email });
  const password = "another fine password";
  await post("resetPassword", { token: h.mailedToken(email), password });
}

/** What can be read with no id, then what the lists lead to. */
async function reads(h: Harness, keep: Keep): Promise<void> {
  const gets = h.app.endpoints.filter(({ method, raw, redirects }) =>
    method === "get" && !redirects && (raw === undefined || raw === "application/json")
  );
  const known = new Map<string, string>();
  const sorted = gets.toSorted((a, b) => a.path.split("{").length - b.path.split("{").length);
  const scene: Scene = await sceneOf(h);
  await scene.make("/auth/keys", { name: "A key", scopes: ["users:view"] });
  for (const endpoint of sorted) {
    const pattern = fullPath(endpoint, h.settings.basePath);
    const path = pattern.replace(/^(.*?)\/\{\w+\}/, (_, list) => `${list}/${known.get(list)}`);
    if (path.includes("undefined") || path.includes("{")) continue;
    const query = endpoint.operationId === "explainAccess" ? "?permission=users:view" : "";
    const asked = { token: scene.token };
    const reply = await h.ask("GET", path + query, asked);
    if (reply.status >= 400) continue;
    const first = Array.isArray(reply.data) ? reply.data[0] : undefined;
    if (first?.id) known.set(pattern, first.id);
    keep(endpoint, undefined, reply);
  }
}

const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/, "eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl"],
  [/^qd_\w{30,}$/, "qd_…"],
  [/^[\w-]{43,}$/, "QW4gZXhhbXBsZSBvZiB0aGlydHktdHdvIGJ5dGVzLi4"],
  [/^<svg /, '<svg xmlns="http://www.w3.org/2000/svg"></svg>'],
  [/^data:/, "data:,"],
];

/** With one entry of each list, and without what only looks like a secret. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shortened);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, shortened(of)]));
  }
  if (typeof value !== "string") return value;
  return SECRETS.find(([pattern]) => pattern.test(value))?.[1] ?? value;
}

if (import.meta.main) {
  const text = JSON.stringify(await makeExamples(), null, 1);
  await Deno.writeTextFile(EXAMPLES, `${text}\n`);
  // The threads that convert Markdown would go on waiting for more.
  Deno.exit();
}
