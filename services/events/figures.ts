// Figures that change with many records: who shows them is told at most once a second that they have.
import { SECOND } from "../../core/units.ts";
import { receipts } from "../../models/messages.ts";
import { notifications } from "../../models/notifications.ts";
import type { JournalEntry, Store } from "../../storage/port.ts";

/** What the figures of the dashboard are computed from. */
const COUNTED: ReadonlySet<string> = new Set([
  "users",
  "documents",
  "files",
  "storageUsage",
  "sales",
  "tasks",
  "visits",
  "events",
]);

/** Milliseconds between two tellings of the same. */
const EVERY = SECOND;

/** What a user has not read. */
export interface Unread {
  readonly notifications: number;
  readonly messages: number;
}

export async function unreadOf(store: Pick<Store, "from">, userId: string): Promise<Unread> {
  const [told, sent] = await Promise.all([
    store.from(notifications).count({ userId, read: false }),
    store.from(receipts).count({ userId, readAt: null }),
  ]);
  return { notifications: told, messages: sent };
}

/** The users whose unread messages or notifications an entry may have changed. */
export function readersIn({ changes }: JournalEntry): ReadonlySet<string> {
  const told = changes.filter(({ collection }) =>
    collection === "notifications" || collection === "receipts"
  );
  return new Set(told.flatMap(({ traits }) => traits?.userId ?? []));
}

export function countsIn({ changes }: JournalEntry): boolean {
  return changes.some(({ collection }) => COUNTED.has(collection));
}

/** Runs at once, and what is asked for again within a second, once more at its end. */
export class Throttle {
  /** By what is told; true where it is asked for again. */
  readonly #recent = new Map<
    string,
    { again: boolean; readonly timer: ReturnType<typeof setTimeout> }
  >();

  constructor(readonly run: (key: string) => void, readonly every = EVERY) {}

  ask(key: string): void {
    const recent = this.#recent.get(key);
    if (recent) return void (recent.again = true);
    const timer = setTimeout(() => {
      const { again } = this.#recent.get(key)!;
      this.#recent.delete(key);
      if (again) this.ask(key);
    }, this.every);
    this.#recent.set(key, { again: false, timer });
    this.run(key);
  }

  close(): void {
    for (const { timer } of this.#recent.values()) clearTimeout(timer);
    this.#recent.clear();
  }
}
