// Short messages about what was done: shown at the edge of the page, gone by themselves.
import { signal } from "@preact/signals";

export interface Toast {
  readonly id: number;
  readonly text: string;
  /** @default "success" */
  readonly kind: "success" | "info" | "error";
  /** What can be done about it, such as to undo it. */
  readonly action?: { readonly label: string; readonly run: () => unknown };
}

/** Those that are shown, the newest last. */
export const toasts = signal<readonly Toast[]>([]);

/** Milliseconds for which a message stays; with something to press, longer; what failed stays until it is closed. */
const STAY = 6000;
const STAY_WITH_ACTION = 12_000;
/** As many are shown at once. */
const MOST = 4;

let last = 0;
const timers = new Map<number, ReturnType<typeof setTimeout>>();

/** @returns What takes the message away. */
export function toast(
  { kind = "success", ...rest }: Omit<Toast, "id" | "kind"> & Partial<Pick<Toast, "kind">>,
): () => void {
  const shown: Toast = { id: ++last, kind, ...rest };
  const before = toasts.peek();
  for (const { id } of before.slice(0, -(MOST - 1))) forget(id);
  toasts.value = [...before.slice(-(MOST - 1)), shown];
  wait(shown);
  return () => dismiss(shown.id);
}

export function dismiss(id: number): void {
  forget(id);
  toasts.value = toasts.peek().filter((one) => one.id !== id);
}

/** Keeps all of them while somebody reads one: pointer or focus is on it. */
export function holdToasts(): void {
  for (const { id } of toasts.peek()) forget(id);
}

/** Lets them go again. */
export function releaseToasts(): void {
  for (const one of toasts.peek()) wait(one);
}

function wait({ id, kind, action }: Toast): void {
  forget(id);
  if (kind === "error") return;
  timers.set(id, setTimeout(() => dismiss(id), action ? STAY_WITH_ACTION : STAY));
}

function forget(id: number): void {
  clearTimeout(timers.get(id));
  timers.delete(id);
}
