// What the server and its threads tell each other.

export interface Asked<T = unknown> {
  readonly id: number;
  readonly task: T;
}

/** An outcome, or a defect of ours. */
export interface Answered<R = unknown> {
  readonly id: number;
  readonly outcome?: R;
  readonly defect?: string;
  /** What of the outcome is handed over instead of copied. */
  readonly handedOver?: readonly ArrayBuffer[];
  /** The thread is of no more use. */
  readonly spent?: boolean;
}
