// The last requests that this process has answered, and what follows them live. Nothing of it is stored.
import type { RequestFilter, RequestReport } from "../../models/system.ts";
import { frame } from "../events/frames.ts";
import type { EventStream } from "../events/stream.ts";

/**
 * What is known of a request when it is answered; what is told of it is worked out when somebody looks. No more is kept:
 * the headers of these answers alone were a quarter of what V8 had to copy in each collection of young objects.
 */
export interface AnsweredRequest {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  /** Milliseconds. */
  readonly duration: number;
  readonly address: string;
  readonly requestId: string;
  /** Milliseconds, monotonic. */
  readonly startedAt: number;
  /** The pattern of the path; absent for unknown paths and pages. */
  readonly route: string | undefined;
  readonly userId: string | undefined;
}

/** Requests that are kept. */
const KEPT = 200;
/** Requests that one reader is told within so many milliseconds: more would take the server from those who send them. */
const PACE = { most: 100, within: 100 };

interface Follower {
  readonly stream: EventStream;
  readonly filter: RequestFilter;
  /** Of the time in which `told` are told at most. */
  since: number;
  told: number;
  skipped: number;
}

export class RequestLog {
  readonly #ring: AnsweredRequest[] = [];
  /** Where the next one goes. */
  #next = 0;
  readonly #followers = new Set<Follower>();

  /** @param elapsed Monotonic, in milliseconds: the pace goes by it. */
  constructor(
    readonly clock: () => Date,
    readonly elapsed: () => number = () => performance.now(),
  ) {}

  /** To be called for each request once it is answered. */
  note(request: AnsweredRequest): void {
    this.#ring[this.#next] = request;
    this.#next = (this.#next + 1) % KEPT;
    if (this.#followers.size > 0) this.#tell(request);
  }

  /** Those that are kept, the newest first. */
  recent(filter: RequestFilter): RequestReport[] {
    const inOrder = [...this.#ring.slice(this.#next), ...this.#ring.slice(0, this.#next)];
    return inOrder.reverse().filter((one) => matches(one, filter))
      .map((one) => this.#reportOf(one));
  }

  /** Tells a stream of each request from now on, until it ends. */
  follow(stream: EventStream, filter: RequestFilter): void {
    if (stream.ended) return;
    const follower = { stream, filter, since: 0, told: 0, skipped: 0 };
    this.#followers.add(follower);
    stream.signal.addEventListener("abort", () => this.#followers.delete(follower));
  }

  #tell(request: AnsweredRequest): void {
    let bytes: Uint8Array | undefined;
    const now = this.elapsed();
    for (const follower of this.#followers) {
      if (!matches(request, follower.filter)) continue;
      if (now - follower.since >= PACE.within) begin(follower, now);
      if (follower.told >= PACE.most) {
        follower.skipped++;
        continue;
      }
      follower.told++;
      bytes ??= frame("request", JSON.stringify(this.#reportOf(request)));
      follower.stream.send(bytes);
    }
  }

  #reportOf(
    { method, url, status, duration, address, requestId, startedAt, route, userId }:
      AnsweredRequest,
  ): RequestReport {
    return {
      time: this.#timeOf(startedAt + duration),
      method: method.slice(0, LONGEST_METHOD),
      path: pathToTell(url, route),
      route: route ?? null,
      status,
      duration: Math.round(duration * 1000) / 1000,
      userId: userId ?? null,
      address,
      requestId,
    };
  }

  /** The time of day at a moment that is over. @param moment Milliseconds, monotonic. */
  #timeOf(moment: number): string {
    return new Date(this.clock().getTime() - (performance.now() - moment)).toISOString();
  }
}

function begin(follower: Follower, now: number): void {
  const { skipped } = follower;
  Object.assign(follower, { since: now, told: 0, skipped: 0 });
  if (skipped > 0) follower.stream.send(frame("skipped", JSON.stringify({ count: skipped })));
}

function matches(
  { status, method, userId }: AnsweredRequest,
  { statuses, methods, user }: RequestFilter,
): boolean {
  if (user !== null && userId !== user) return false;
  if (methods !== null && !methods.has(method)) return false;
  return statuses === null || statuses.has(String(status)) ||
    statuses.has(`${String(status)[0]}xx`);
}

const LONGEST_METHOD = 20;
const LONGEST_PATH = 500;
/** Characters of a part of a path beyond which it may be somebody's secret, where it is no id of ours. */
const LONGEST_PART = 24;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const HIDDEN = "…";

/** Patterns whose last part opens what it names to whoever has it. */
const OPENING = /\/(avatars\/\{key\}|(share|s)\/\{id\})$/;

/** Whether the last part of a path of this pattern is as good as a key. */
export function endsWithSecret(route: string): boolean {
  return OPENING.test(route);
}

/**
 * The path of an address, never its query; parts of it that may be secret are left out.
 *
 * @param route The pattern of the path; absent, or of all paths, where it leads nowhere. What stands in it is told.
 */
export function pathToTell(url: string, route: string | undefined): string {
  const [path = ""] = url.slice(url.indexOf("/", url.indexOf("://") + 3)).split(/[?#]/, 1);
  const parts = path.slice(0, LONGEST_PATH).split("/");
  const maySay = (part: string) =>
    part.length <= LONGEST_PART || UUID.test(part) || route?.includes(`/${part}`);
  const told = parts.map((part) => maySay(part) ? part : HIDDEN);
  if (route !== undefined && endsWithSecret(route)) told[told.length - 1] = HIDDEN;
  return told.join("/");
}
