// The table runner: one row is a request, the status it gets, and what the answer holds and does not.
import assert from "node:assert/strict";
import { type Ask, type Harness, harness, type HarnessOptions, type Reply } from "./harness.ts";
import { assertAudited, entriesOf } from "./traces.ts";

export interface Row<S = undefined> extends Omit<Ask, "body"> {
  readonly name: string;
  readonly method: string;
  /** A function gets what `arrange` made. */
  readonly path: string | ((state: S) => string);
  readonly body?: unknown | ((state: S) => unknown);
  readonly status: number;
  /** The answer holds at least this: objects by field, everything else equal. */
  readonly holds?: unknown | ((state: S, h: Harness) => unknown);
  /** Texts that the answer must not hold. */
  readonly absent?: readonly string[];
  /** Fields that `error.details` names. */
  readonly details?: readonly string[];
  /** Looks at what else happened. */
  readonly after?: (h: Harness, reply: Reply, state: S) => void | Promise<void>;
}

export interface Table<S> extends HarnessOptions {
  /** Makes what the rows need. A row has a store of its own, or one that the rows before have left as it was. */
  readonly arrange?: (h: Harness) => Promise<S> | S;
  readonly rows: readonly Row<S>[];
}

/** What a row runs in. */
interface Scene {
  readonly table: object;
  readonly h: Harness;
  readonly state: unknown;
}

/** What the last row has left as it was, for the next of its table: half of the time goes into making them. */
let kept: Scene | null = null;

async function endKept(): Promise<void> {
  const ended = kept;
  kept = null;
  await ended?.h[Symbol.asyncDispose]();
}

Deno.test.afterAll(endKept);

async function sceneOf<S>(table: Table<S>): Promise<Scene> {
  if (kept?.table === table) return kept;
  await endKept();
  const h = await harness(table);
  try {
    return kept = { table, h, state: await table.arrange?.(h) };
  } catch (error) {
    await h[Symbol.asyncDispose]();
    throw error;
  }
}

/** Whether the scene is as before: `assertTraces` holds that reads and refusals write nothing. Sign-ins are counted. */
function leavesAll<S>({ method, after }: Row<S>, path: string, { status }: Reply): boolean {
  if (after || /\/auth\//.test(path)) return false;
  return ["GET", "HEAD", "OPTIONS"].includes(method) || status >= 400 && status !== 429;
}

/** Registers one test per row. */
export function scenarios<S = undefined>(title: string, table: Table<S>): void {
  for (const row of table.rows) {
    Deno.test(`${title}: ${row.name}`, async () => {
      const scene = await sceneOf(table);
      let isAsBefore = false;
      try {
        isAsBefore = await run(row, scene.h, scene.state as S);
      } finally {
        if (!isAsBefore) await endKept();
      }
    });
  }
}

/** @returns Whether another row may have the scene. */
async function run<S>(row: Row<S>, h: Harness, state: S): Promise<boolean> {
  const path = typeof row.path === "function" ? row.path(state) : row.path;
  const body = typeof row.body === "function" ? row.body(state) : row.body;
  const reply = await h.ask(row.method, path, { ...row, body });
  assert.equal(reply.status, row.status, reply.text);
  const expected = typeof row.holds === "function" ? row.holds(state, h) : row.holds;
  if (expected !== undefined) assertHolds(reply.body, expected);
  for (const text of row.absent ?? []) assert.ok(!reply.text.includes(text), `holds ${text}`);
  if (row.details) assertDetails(reply, row.details);
  await row.after?.(h, reply, state);
  await assertTraces(h, row, path, reply);
  return leavesAll(row, path, reply);
}

/** Routes whose success may leave nothing: they only compute, or find done what they are asked to do. */
const MAY_CHANGE_NOTHING =
  /\/(markdown|files\/search|read|read-all|resend-verification)$|\/auth\/(?!sessions\/|change-password)/;

/**
 * What was read or refused leaves no trace in the journal; a write by a known caller leaves one in their name, with the
 * audit records that belong to it.
 */
async function assertTraces<S>(
  h: Harness,
  { as, method, token }: Row<S>,
  path: string,
  reply: Reply,
): Promise<void> {
  const requestId = reply.headers.get("x-request-id");
  if (requestId === null) return;
  const entries = await entriesOf(h.store, requestId);
  if (method === "GET" || reply.status >= 400) {
    assert.deepEqual(entries, [], "the request left something");
    return;
  }
  if (!as || token) return;
  const [route = ""] = path.split("?");
  if (!MAY_CHANGE_NOTHING.test(route)) assert.ok(entries.length > 0, "the write left nothing");
  await assertAudited(h.store, entries, h.accounts[as].id);
}

function assertDetails(reply: Reply, fields: readonly string[]): void {
  const details: { field: string }[] = reply.body.error?.details ?? reply.body.details ?? [];
  assert.deepEqual(details.map((detail) => detail.field).sort(), [...fields].sort());
}

/** `actual` has every field of `expected`, at any depth; arrays match item by item. */
export function assertHolds(actual: unknown, expected: unknown, path = "body"): void {
  if (typeof expected !== "object" || expected === null) {
    assert.deepEqual(actual, expected, `${path}: ${JSON.stringify(actual)}`);
    return;
  }
  assert.ok(typeof actual === "object" && actual !== null, `${path} is ${JSON.stringify(actual)}`);
  if (Array.isArray(expected)) {
    assert.equal((actual as unknown[]).length, expected.length, `${path}: length`);
  }
  for (const [key, value] of Object.entries(expected)) {
    assertHolds((actual as Record<string, unknown>)[key], value, `${path}.${key}`);
  }
}
