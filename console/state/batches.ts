// Doing the same with many records: in as many requests as it takes, each record told of by itself.
import { signal } from "@preact/signals";
import { ApiError, runBatch } from "../../client/mod.ts";
import { type Outcome, type Refusal, sorted } from "./batch_outcome.ts";
import { place } from "./place.ts";
import { impersonating } from "./session.ts";
import { askProof } from "./transport.ts";

/** Records of one request, at most: what the server takes. */
const MOST = 100;

/** Of so many it is shown how far it is. */
const MANY = 20;

/** How far what is done with many records is, from 0 to 1; null where there is nothing to show. */
export const far = signal<number | null>(null);

/** Whether what is shown by `far` ends after the request that is under way. */
export const stopping = signal(false);

/**
 * @param onDone Called after each request with how many have been seen to, by who shows that itself; `false` leaves the rest
 * as they are.
 */
export type Bulk = (
  ids: readonly string[],
  onDone?: (count: number) => unknown,
) => Promise<Outcome>;

interface Operation {
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  /** Under the API, such as `/users/1`. */
  readonly path: string;
  readonly body?: unknown;
}

/** Carries out one operation for each record. */
export function each(operationOf: (id: string) => Operation): Bulk {
  return inPieces(MOST, async (piece) => {
    const operations = piece.map((id) => {
      const { path, ...rest } = operationOf(id);
      return { ...rest, path: place.api + path, id };
    });
    return await proven(async () => {
      const { data } = await runBatch({ body: { atomic: false, operations } });
      return sorted(data);
    });
  });
}

/** Asks once more after a proof of who one is, where the server wants one: the answer as a whole does not say so. */
async function proven(ask: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await ask();
  } catch (error) {
    const wanted = error instanceof ApiError && error.code === "STEP_UP_REQUIRED";
    if (!wanted || impersonating.peek() !== null || !await askProof()) throw error;
    return await ask();
  }
}

/** What routes for many records answer with. */
interface Told {
  readonly id: string;
  readonly status: string;
  readonly message?: string;
}

/** Carries out one request for as many records as it takes. @param done The status of those that it was done with. */
export function together(
  done: string,
  send: (ids: string[]) => Promise<{ readonly data: readonly Told[] }>,
): Bulk {
  return inPieces(MOST, async (piece) => {
    const { data } = await send([...piece]);
    return {
      done: data.filter(({ status }) => status === done).map(({ id }) => id),
      refused: data.filter(({ status }) => status !== done)
        .map(({ id, message }) => ({ id, ...(message ? { message } : {}) })),
    };
  });
}

/** What is about the one record, not about all that are asked for. */
const OF_ONE = [403, 404, 409, 412];

/** Carries out a request for each record: for what the server takes by itself alone. */
export function alone(act: (id: string) => Promise<unknown>): Bulk {
  return inPieces(1, async ([id = ""]) => {
    try {
      await act(id);
      return { done: [id], refused: [] };
    } catch (error) {
      if (!(error instanceof ApiError) || !OF_ONE.includes(error.status)) throw error;
      // Whoever has not proven who they are is asked once, not for each record.
      if (error.code === "STEP_UP_REQUIRED") throw error;
      const told = error.status === 404 ? {} : { message: error.message };
      return { done: [], refused: [{ id, ...told }] };
    }
  });
}

/** One request after the other: many records must not keep the server from what others ask. */
function inPieces(size: number, run: (piece: readonly string[]) => Promise<Outcome>): Bulk {
  const all: Bulk = async (ids, onDone) => {
    const done: string[] = [];
    const refused: Refusal[] = [];
    for (let from = 0; from < ids.length; from += size) {
      const piece = ids.slice(from, from + size);
      try {
        const outcome = await run(piece);
        done.push(...outcome.done);
        refused.push(...outcome.refused);
      } catch (error) {
        // What was done before is told, and of each of the rest why it was left.
        if (from === 0 || !(error instanceof ApiError)) throw error;
        refused.push(...ids.slice(from).map((id) => ({ id, message: error.message })));
        break;
      }
      if (onDone?.(from + piece.length) === false) break;
    }
    return { done, refused };
  };
  return async (ids, onDone) => {
    if (onDone || ids.length <= MANY) return await all(ids, onDone);
    stopping.value = false;
    far.value = 0;
    return await all(ids, (count) => {
      far.value = count / ids.length;
      return !stopping.peek();
    }).finally(() => far.value = null);
  };
}
