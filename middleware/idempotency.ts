// Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): a repeated POST gets the first answer again.
import type { Context } from "hono";
import { ApiError, conflict, invalid } from "../errors.ts";
import { type IdempotentAnswer, idempotentAnswers } from "../models/idempotency.ts";
import type { Principal } from "../services/access.ts";
import { sha256 } from "../services/hashing.ts";
import { type Awaitable, type Store, VersionConflict } from "../store.ts";
import { exchangeOf } from "./exchange.ts";

/** Milliseconds that an answer is remembered. */
const REMEMBERED = 24 * 60 * 60 * 1000;
/** Milliseconds after which a request that never finished no longer blocks its key. */
const UNFINISHED = 60 * 1000;
/** Longer answers, in characters, are not remembered: records end at 512 KiB. */
const MAX_ANSWER = 100_000;

/**
 * Runs the request once per caller and key.
 *
 * @param run Makes the answer; what it throws is not remembered, so that the client may try again.
 */
export async function onceByKey(
  c: Context,
  { store, clock }: { store: Store; clock: () => Date },
  principal: Principal,
  bodyText: string,
  run: () => Awaitable<Response>,
): Promise<Response> {
  const key = c.req.raw.headers.get("idempotency-key");
  if (key === null) return await run();
  if (key.length === 0 || key.length > 255) {
    throw invalid("Idempotency-Key", "Idempotency-Key must have 1 to 255 characters");
  }

  const id = sha256(`${principal.user.id}\n${c.req.path}\n${key}`);
  // Uploads are not held in memory: the length, which is the same when a form is sent again, has to do.
  const body = bodyText || (c.req.raw.headers.get("content-length") ?? "");
  const requestHash = sha256(`${new URL(c.req.url).search}\n${body}`);
  const first = await claim(store, clock, { id, requestHash });
  if (first.requestHash !== requestHash) throw new ApiError("IDEMPOTENCY_KEY_REUSED");
  if (first.status !== undefined) return replay(c, first);
  if (!first.claimed) throw conflict("A request with this Idempotency-Key is still running");

  try {
    const answer = await run();
    return await remember(store, clock, id, answer);
  } catch (error) {
    await forget(store, id);
    throw error;
  }
}

/** The remembered answer, or a fresh claim on the key. */
async function claim(
  store: Store,
  clock: () => Date,
  { id, requestHash }: { id: string; requestHash: string },
): Promise<IdempotentAnswer & { claimed: boolean }> {
  try {
    return await store.transact({ userId: null }, async (tx) => {
      const known = await tx.from(idempotentAnswers).get(id);
      if (known && known.expiresAt > tx.now) return { ...known, claimed: false };
      const expiresAt = after(clock, UNFINISHED);
      const fresh = known
        ? tx.update(idempotentAnswers, known, {
          requestHash,
          expiresAt,
          status: undefined,
          body: undefined,
        })
        : tx.insert(idempotentAnswers, { id, requestHash, expiresAt });
      return { ...fresh, claimed: true };
    });
  } catch (error) {
    if (error instanceof VersionConflict) {
      throw conflict("A request with this Idempotency-Key is still running");
    }
    throw error;
  }
}

function replay(c: Context, answer: IdempotentAnswer): Response {
  return new Response(answer.body ?? "", {
    status: answer.status ?? 200,
    headers: {
      "content-type": "application/json",
      "cache-control": "private, no-cache",
      ...exchangeOf(c).headers,
      ...(answer.etag ? { etag: answer.etag } : {}),
      ...(answer.location ? { location: answer.location } : {}),
      "idempotency-replayed": "true",
    },
  });
}

async function remember(
  store: Store,
  clock: () => Date,
  id: string,
  answer: Response,
): Promise<Response> {
  const body = await answer.clone().text();
  if (body.length > MAX_ANSWER) {
    await forget(store, id);
    return answer;
  }
  await store.transact({ userId: null }, async (tx) => {
    const claimed = await tx.from(idempotentAnswers).get(id);
    if (!claimed) return;
    tx.update(idempotentAnswers, claimed, {
      status: answer.status,
      body,
      etag: answer.headers.get("etag") ?? undefined,
      location: answer.headers.get("location") ?? undefined,
      expiresAt: after(clock, REMEMBERED),
    });
  });
  return answer;
}

async function forget(store: Store, id: string): Promise<void> {
  await store.transact({ userId: null }, async (tx) => {
    const claimed = await tx.from(idempotentAnswers).get(id);
    if (claimed) tx.remove(idempotentAnswers, claimed);
  });
}

function after(clock: () => Date, milliseconds: number): string {
  return new Date(clock().getTime() + milliseconds).toISOString();
}
