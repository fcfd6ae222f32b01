// What is read from the server: once for all who show it, kept while it is fresh, read again when events tell of changes.
import {
  type DefaultError,
  focusManager,
  hashKey,
  MutationObserver,
  onlineManager,
  QueryClient,
  type QueryKey,
  QueryObserver,
  type QueryObserverResult,
} from "@tanstack/query-core";
import { useEffect, useMemo, useState } from "preact/hooks";
import { ApiError } from "../../client/mod.ts";

/** Milliseconds for which what was read counts as fresh where no event tells otherwise. */
const FRESH = 30_000;

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH,
      // What the server refuses it refuses again; what did not arrive is tried again.
      retry: (failures, error) =>
        failures < 3 && error instanceof ApiError && (error.status === 0 || error.status >= 502),
      refetchOnWindowFocus: true,
      networkMode: "online",
    },
    mutations: { networkMode: "always", retry: false },
  },
});
queries.mount();
export { focusManager, onlineManager };

export type QueryResult<T> = QueryObserverResult<T, ApiError>;

export interface QueryChoice {
  /** False where it is not to be read yet. @default true */
  readonly enabled?: boolean;
  /** Whether the answer to the key before is shown until the new one is there. @default true */
  readonly keep?: boolean;
  /** Milliseconds between readings, where no event tells of changes. */
  readonly every?: number;
}

/**
 * @param key Begins with the name of the collection, so that its events lead to a new reading: `["users", query]`.
 */
export function useQuery<T>(
  key: QueryKey,
  read: (signal: AbortSignal) => Promise<T>,
  { enabled = true, keep = true, every }: QueryChoice = {},
): QueryResult<T> {
  const options = {
    queryKey: key,
    queryFn: ({ signal }: { signal: AbortSignal }) => read(signal),
    enabled,
    refetchInterval: every ?? (false as const),
    ...(keep ? { placeholderData: (before: T | undefined) => before } : {}),
  };
  const observer = useMemo(() => new QueryObserver<T, ApiError>(queries, options as never), []);
  observer.setOptions(options as never);
  const [, show] = useState<QueryObserverResult<T, ApiError>>();
  useEffect(() => observer.subscribe((result) => show(result)), [observer]);
  return observer.getOptimisticResult(queries.defaultQueryOptions(options as never) as never);
}

export interface Mutation<A, R> {
  /** @throws {ApiError} what the server refuses */
  readonly run: (argument: A) => Promise<R>;
  readonly busy: boolean;
  readonly error: ApiError | null;
  readonly reset: () => void;
}

/**
 * Something that is changed on the server.
 *
 * @param touches The first parts of the keys that are to be read again afterwards.
 */
export function useMutation<A = void, R = unknown>(
  change: (argument: A) => Promise<R>,
  touches: readonly string[] = [],
): Mutation<A, R> {
  const options = {
    mutationFn: change,
    onSettled: () => refresh(...touches),
  };
  const observer = useMemo(
    () => new MutationObserver<R, DefaultError, A>(queries, options),
    [],
  );
  observer.setOptions(options);
  const [result, show] = useState(observer.getCurrentResult());
  useEffect(() => observer.subscribe(show), [observer]);
  return {
    run: (argument) => observer.mutate(argument),
    busy: result.isPending,
    error: result.error as ApiError | null,
    reset: () => observer.reset(),
  };
}

/** Reads again what is shown of these collections, and the rest of them when it is shown next. */
export function refresh(...collections: readonly string[]): void {
  for (const collection of collections) {
    void queries.invalidateQueries({
      queryKey: [collection],
      predicate: ({ queryHash }) => !deleted.has(queryHash),
    });
  }
}

/** Keys of what one has deleted. */
const deleted = new Set<string>();

/** Deletes what a key stands for: a page that still shows it on the way to another one does not read it again. */
export async function deleting<T>(key: QueryKey, remove: () => Promise<T>): Promise<T> {
  const hash = hashKey(key);
  deleted.add(hash);
  try {
    return await remove();
  } catch (error) {
    deleted.delete(hash);
    throw error;
  }
}
