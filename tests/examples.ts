// The examples of the API document: requests that the tests send, with what the server answered. `deno task examples`
// writes them anew.
import assert from "node:assert/strict";
import { answerHelp } from "../core/command_line.ts";
import { fullPath } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { type Keep, signIns } from "./example_sign_ins.ts";
import { type Harness, harness } from "./harness.ts";
import {
  changedDocument,
  conversation,
  delivery,
  folder,
  notification,
  type Scene,
  sceneOf,
  writeTo,
  writingEndpoints,
} from "./writes.ts";

/** By operationId. */
export type Examples = Record<string, { body?: unknown; answer?: unknown }>;

/** Where the examples stand. */
export const EXAMPLES: URL = new URL("../http/openapi/examples.json", import.meta.url);

/** Asks every endpoint that can be asked, and keeps what was sent and answered. */
export async function makeExamples(): Promise<Examples> {
  const examples: Examples = {};
  for (const variant of ["full", "compact"]) {
    await using h = await harness({ variant, env: { RATE_LIMIT: "false" } });
    const keep: Keep = async ({ operationId }, body, reply) => {
      assert.ok(reply.status < 300, `${operationId}: ${reply.text}`);
      examples[operationId] ??= {
        ...(body === undefined || body instanceof FormData ? {} : { body: await shownAs(body) }),
        ...(reply.body === undefined ? {} : { answer: reply.body }),
      };
    };
    await signIns(h, keep);
    for (const endpoint of writingEndpoints(h)) {
      if (examples[endpoint.operationId]) continue;
      const scene = await sceneOf(h);
      const { path, body } = await writeTo(endpoint, scene);
      const method = endpoint.method.toUpperCase();
      await keep(endpoint, body, await h.ask(method, path, { token: scene.token, body }));
    }
    await reads(h, keep);
  }
  return Object.fromEntries(
    Object.entries(examples).sort(([a], [b]) => a < b ? -1 : 1)
      .map(([name, example]) => [name, shortened(example)]),
  ) as Examples;
}

/** A body as a document of JSON can show it. */
async function shownAs(body: unknown): Promise<unknown> {
  return body instanceof Blob ? await body.text() : body;
}

/** What the lists have that the reads begin with. */
async function sceneToRead(h: Harness): Promise<Scene> {
  const scene = await sceneOf(h);
  const has = (path: string) => h.app.endpoints.some((one) => one.path === path);
  await scene.make("/auth/keys", { name: "A key", scopes: ["users:view"] });
  await changedDocument(scene);
  await conversation(scene);
  await notification(scene);
  await delivery(scene);
  if (has("/folders")) await folder(scene);
  return scene;
}

/** What can be read with no id, then what the lists lead to. */
async function reads(h: Harness, keep: Keep): Promise<void> {
  const scene = await sceneToRead(h);
  const gets = h.app.endpoints.filter(({ method, raw, redirects }) =>
    method === "get" && !redirects && (raw === undefined || raw === "application/json")
  );
  const lists: Lists = new Map();
  for (const endpoint of gets.toSorted((a, b) => parametersOf(a) - parametersOf(b))) {
    const pattern = fullPath(endpoint, h.settings.basePath);
    const path = filled(pattern, lists);
    if (path === undefined) continue;
    const query = endpoint.operationId === "explainAccess" ? "?permission=users:view" : "";
    const reply = await h.ask("GET", path + query, { token: scene.token });
    if (reply.status >= 400) continue;
    if (Array.isArray(reply.data) && reply.data[0]) lists.set(pattern, [path, reply.data[0]]);
    await keep(endpoint, undefined, reply);
  }
}

const parametersOf = ({ path }: Endpoint): number => path.split("{").length;

/** Lists by their pattern: where each was read, and its first record. */
type Lists = Map<string, readonly [path: string, first: Record<string, unknown>]>;

/** The path of the first record that the list before it has; undefined where that is not known. */
function filled(pattern: string, lists: Lists): string | undefined {
  const [, list = "", name = "", rest = ""] = /^(.*)\/\{(\w+)\}(.*)$/.exec(pattern) ?? [];
  if (name === "") return pattern;
  const [path, first = {}] = lists.get(list) ?? [];
  return path && `${path}/${first[name] ?? first.id}${rest}`;
}

const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/^SQLite \(.*\)$/, "SQLite (data/quarterdeck.db)"],
  [/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/, "eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl"],
  [/^qd_\w{30,}$/, "qd_…"],
  [/^[\w-]{43,}$|^[\w+/]{200,}=*$/, "QW4gZXhhbXBsZSBvZiB0aGlydHktdHdvIGJ5dGVzLi4"],
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
  answerHelp("Usage: deno task examples\n\nWrites http/openapi/examples.json anew.");
  const text = JSON.stringify(await makeExamples(), null, 2);
  await Deno.writeTextFile(EXAMPLES, `${text}\n`);
  // The threads that convert Markdown would go on waiting for more.
  Deno.exit();
}
