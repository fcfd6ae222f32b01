// What the server, the keeper of its threads and those threads tell each other.

/** The kinds of work that have a thread of their own. */
export type Kind = "markdown" | "images";

export interface Asked<T = unknown> {
  readonly id: number;
  readonly kind: Kind;
  readonly task: T;
  /** How much it wears the thread; see `WORN` of the keeper. */
  readonly weight: number;
  /** What of the task is handed over instead of copied. */
  readonly handedOver?: readonly ArrayBuffer[];
}

/** An outcome, or a defect of ours. */
export interface Answered<R = unknown> {
  readonly id: number;
  readonly outcome?: R;
  readonly defect?: string;
  readonly handedOver?: readonly ArrayBuffer[];
  /** The thread is of no more use. */
  readonly spent?: boolean;
}

/** A thread is wanted that runs this module, for one caller alone. */
export interface Wanted {
  readonly module: string;
  /** What comes here goes to the thread, and what it posts comes out as `Told`; null ends it. */
  readonly port: MessagePort;
}

/** What the thread has posted, or why it has ended by itself. */
export type Told<T = unknown> = { readonly posted: T } | { readonly defect: string };
