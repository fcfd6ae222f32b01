// How memory keeps up with what other processes write to the same store.

export interface Following {
  /** False when what others wrote more than two seconds ago may have been missed: then memory may not answer. */
  readonly fresh: boolean;
  /** Whether lists may be answered from memory as it is: then `catchUp` has nothing to do. */
  readonly current: boolean;
  /** Brings memory up to where lists may be answered from it; null when it is there. */
  catchUp(): Promise<void> | null;
  /** When it resolves, memory knows every commit that was done before the call. */
  latest(): Promise<void>;
}
