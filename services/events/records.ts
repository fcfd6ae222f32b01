// What events may show: which collections someone may read, and records as they are shown to them.
import type { Principal } from "../access/access.ts";
import type { PublicCollection } from "./event.ts";

/** What a stream may tell of beside records: that the figures of the dashboard, and what is unread, have changed. */
export const FIGURES = ["dashboard", "unread"] as const;

export type Topic = PublicCollection | typeof FIGURES[number];

/** The records of the endpoints that are mounted. */
export interface RecordViews {
  /** Whether there is an endpoint that shows it, and the caller may call it. */
  admits(principal: Principal, topic: Topic): boolean;
  /** A record as its GET would show it to the caller now, as JSON; null where they do not see it. */
  show(principal: Principal, collection: PublicCollection, id: string): Promise<string | null>;
}
