// Every endpoint, asked with what nobody expects: each answer has a status that the endpoint documents, and no request
// fails inside the server. FUZZ_RUNS sets how many requests each gets, FUZZ_SEED repeats a run.
import assert from "node:assert/strict";
import fc, { type Arbitrary } from "fast-check";
import { type Endpoint, fullPath } from "../../http/endpoint.ts";
import { allCollections } from "../../models/all.ts";
import { openApiDocument } from "../../http/openapi.ts";
import { bodyOf, csvOf, formOf, headers, idOf, type Ids, queryOf } from "../fuzz_values.ts";
import { type Ask, type Harness, harness, type Reply } from "../harness.ts";
import { notify } from "../../services/messaging/notifications.ts";
import { signIn } from "../../services/accounts/sessions.ts";
import { form, png } from "../uploads.ts";

const RUNS = Number(Deno.env.get("FUZZ_RUNS") ?? 12);
const SEED = Deno.env.get("FUZZ_SEED");

const ACTIONS = ["view", "create", "update", "delete"];
const RESOURCES = ["documents", "files", "messages", "calendar", "teams", "dashboard"];
/** May do everything, and manages nothing. */
const EVERYTHING = RESOURCES.flatMap((resource) =>
  ACTIONS.map((action) => `${resource}:${action}`)
);

type Who = "super" | "user" | null;

/** One request, before it is known who sends it. */
interface Asked {
  readonly who: Who;
  readonly path: string;
  readonly query: string;
  readonly body: unknown;
  readonly headers: Record<string, string>;
}

/** Records to get at and to break, some of the super admin, some of the user: the ids of the newest by collection. */
async function arrange(h: Harness): Promise<Ids> {
  const other = h.accounts.other.id;
  const event = { title: "Fuzz", start: "2026-11-22T09:00:00Z", attendeeIds: [other] };
  for (const as of ["super", "user"] as const) {
    const post = (path: string, body: unknown) => h.ask("POST", `/api${path}`, { as, body });
    const document = await post("/documents", { title: "Fuzz", content: "x", tags: ["one"] });
    const { data: meeting } = await post("/calendar/events", event);
    const file = await post("/files/upload", form({ bytes: png(as) }));
    await post(`/calendar/events/${meeting?.id}/reminder`, { minutesBefore: 5 });
    await post("/messages", { recipientId: other, content: "Fuzz" });
    await post("/folders", { name: crypto.randomUUID() });
    await post("/teams", { name: "Fuzz" });
    await post("/share", { content: "# Fuzz", language: "markdown" });
    await post("/dashboard/tasks", { title: "Fuzz" });
    await post("/roles", { name: `Fuzz ${crypto.randomUUID()}` });
    await post("/permissions", { resource: crypto.randomUUID(), action: "view" });
    await post(`/documents/${document.data?.id}/share`, { userId: other });
    await post(`/files/${file.data?.id}/share`, { userId: other });
  }
  await notifyBoth(h);
  return await newestIds(h);
}

async function notifyBoth(h: Harness): Promise<void> {
  await h.store.transact({ userId: null }, (tx) => {
    for (const as of ["super", "user"] as const) {
      const userId = h.accounts[as].id;
      notify(tx, { userId, type: "system", title: "Fuzz", content: "Fuzz" });
    }
  });
}

/** Not those of the two accounts that ask, which are to stay. */
async function newestIds(h: Harness): Promise<Ids> {
  const kept = new Set([h.accounts.super.id, h.accounts.user.id]);
  const ids: Record<string, readonly string[]> = {};
  for (const collection of allCollections) {
    const { rows } = await h.store.from(collection).list({ limit: 4 });
    ids[collection.name] = rows.map(({ id }) => id).filter((id) => !kept.has(id));
  }
  return ids;
}

/** What the parameter of a path refers to, as the name of a field would say it. */
function parameterName(path: string, name: string): string {
  if (name !== "id") return name;
  const [, first = "", second = ""] = path.split("/");
  if (second === "conversations") return "conversationId";
  if (second === "sessions") return "sessionId";
  if (first === "calendar") return "eventId";
  if (first === "dashboard") return "taskId";
  if (first === "share" || first === "s") return "snippetId";
  return first.replace(/s$/, "Id");
}

function requestsOf(endpoint: Endpoint, path: string, ids: Ids): Arbitrary<Asked> {
  const segments = path.split("/").map((segment) =>
    segment.startsWith("{")
      ? idOf(parameterName(endpoint.path, segment.slice(1, -1)))(ids)
      : fc.constant(segment)
  );
  return fc.record({
    who: fc.constantFrom<Who>("super", "super", "user", "user", null),
    path: fc.tuple(...segments).map((parts) => parts.join("/")),
    query: endpoint.query ? queryOf(endpoint.query)(ids) : fc.constant(""),
    body: endpoint.upload
      ? formOf(ids)
      : endpoint.csv
      ? csvOf(ids)
      : endpoint.body
      ? bodyOf(endpoint.body)(ids)
      : fc.constant(undefined),
    headers,
  });
}

function formData(fields: unknown): FormData {
  const { filename, type, bytes, field, value } = fields as Record<string, string>;
  const data = new FormData();
  data.set(field!, value!);
  const content = Uint8Array.from(bytes!, (letter) => letter.charCodeAt(0));
  data.append("file", new Blob([content], { type }), filename);
  return data;
}

type Documented = Record<string, Record<string, { responses: Record<string, unknown> }>>;

/** What the API document says of each path. */
function documented(h: Harness): Documented {
  const { variant, basePath } = h.settings;
  return openApiDocument(h.app.endpoints, { basePath, variant }).paths as Documented;
}

/**
 * Beyond what each endpoint documents: any GET may be unchanged, any POST repeated or in conflict with another, and a
 * session cookie that is no good leads to the login page.
 */
function common({ method }: Endpoint, h: Harness): number[] {
  const guarded = h.settings.variant.cookies ? [302] : [];
  if (method === "get") return [304, ...guarded];
  return method === "post" ? [400, 409, 422, ...guarded] : guarded;
}

async function send(h: Harness, endpoint: Endpoint, asked: Asked): Promise<Reply> {
  const { services } = h.app;
  // Requests may end sessions: each has its own.
  const token = asked.who
    ? (await signIn(h.store, services.tokens, await current(h, asked.who), {})).accessToken
    : undefined;
  const path = asked.query === "" ? asked.path : `${asked.path}?${asked.query}`;
  const ask: Ask = endpoint.upload
    // The form states its own type.
    ? { token, headers: without(asked.headers, "content-type"), body: formData(asked.body) }
    : {
      token,
      headers: {
        "content-type": endpoint.csv ? "text/csv" : "application/json",
        ...asked.headers,
      },
      body: asked.body,
    };
  return await h.ask(endpoint.method.toUpperCase(), path, ask);
}

async function current(h: Harness, who: "super" | "user") {
  const users = allCollections.find(({ name }) => name === "users")!;
  return await h.store.from(users).get(h.accounts[who].id) as typeof h.accounts.user;
}

function without(all: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(all).filter(([key]) => key !== name));
}

function assertErrorShape(h: Harness, { status, body, text }: Reply): void {
  if (status < 400) return;
  if (h.settings.variant.missingFile === "text" && typeof body?.error === "string") {
    assert.deepEqual(body, { success: false, error: body.error }, text);
  } else if (h.settings.variant.errors === "envelope") {
    assert.equal(body?.success, false, text);
    assert.equal(typeof body.error.code, "string", text);
    assert.equal(body.error.message, body.message, text);
  } else if (status === 401) {
    assert.equal(typeof body?.error, "string", text);
  } else {
    assert.equal(body?.success, false, text);
    assert.equal(typeof body.message, "string", text);
  }
  assert.doesNotMatch(text, /\bat .+\.[jt]sx?:\d+:\d+|SQLITE|pg_|postgres/i, "tells of its inside");
}

for (const variant of ["compact", "full", "web"]) {
  Deno.test(`fuzz: no request fails inside the server (${variant})`, async (t) => {
    await using h = await harness({ variant, env: { RATE_LIMIT: "false" } });
    await h.grant("user", ...EVERYTHING);
    let ids = await arrange(h);
    const paths = documented(h);
    for (const endpoint of h.app.endpoints) {
      const path = fullPath(endpoint, h.settings.basePath);
      await t.step(`${endpoint.method} ${path}`, async () => {
        const { responses } = paths[path]![endpoint.method]!;
        const allowed = new Set([...Object.keys(responses).map(Number), ...common(endpoint, h)]);
        const property = fc.asyncProperty(requestsOf(endpoint, path, ids), async (asked) => {
          const reply = await send(h, endpoint, asked);
          assertErrorShape(h, reply);
          assert.ok(allowed.has(reply.status), `${reply.status} is not documented: ${reply.text}`);
        });
        const seed = SEED === undefined ? {} : { seed: Number(SEED) };
        await fc.assert(property, { numRuns: RUNS, endOnFailure: true, ...seed });
        if (/delete/.test(endpoint.method + endpoint.path)) ids = await arrange(h);
      });
    }
  });
}
