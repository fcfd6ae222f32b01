// Rate limits, counted in fixed windows in this process's memory.
import { BoundedMap } from "../bounded_map.ts";
import { ApiError } from "../errors.ts";

/** So many hits per key in a window; both the address and the account are keys. */
export interface RateLimit {
  readonly perAddress?: number;
  readonly perAccount?: number;
  /** Seconds. */
  readonly window: number;
}

/** OWASP Authentication Cheat Sheet: throttle by account and by source. */
export const rateLimits = {
  /** Failures only. */
  login: { perAddress: 50, perAccount: 10, window: 15 * 60 },
  register: { perAddress: 20, window: 60 * 60 },
  forgotPassword: { perAddress: 20, perAccount: 5, window: 60 * 60 },
  resetPassword: { perAddress: 20, window: 60 * 60 },
  /** Failures only. */
  refresh: { perAddress: 60, window: 60 },
  /** Callers without an account. */
  share: { perAddress: 30, window: 60 },
  markdown: { perAddress: 60, window: 60 },
} as const satisfies Record<string, RateLimit>;

export type RateLimitName = keyof typeof rateLimits;

/** Attempts of one key that run now. */
interface Attempts {
  running: number;
  /** Resolves when the next of them ends. */
  next: PromiseWithResolvers<void>;
}

interface Window {
  hits: number;
  endsAt: number;
}

/** An IPv4 address itself; of IPv6 the first 64 bits, for a client has all the rest (RFC 6177 section 2, RFC 8981). */
function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  // An IPv4 address in the form of IPv6 (RFC 4291 section 2.5.5.2).
  if (address.includes(".")) return address.slice(address.lastIndexOf(":") + 1);
  const [start = "", rest] = address.toLowerCase().split("::");
  const [before, after] = [start, rest ?? ""].map((part) => part === "" ? [] : part.split(":"));
  const zeros = Array<string>(Math.max(0, 8 - before!.length - after!.length)).fill("0");
  const groups = [...before!, ...(rest === undefined ? [] : zeros), ...after!].slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, "")).join(":")}::/64`;
}

/** Windows kept at most; the oldest go first, so that memory stays bounded under a flood of keys. */
const MAX_WINDOWS = 100_000;

export class RateLimiter {
  readonly #windows = new BoundedMap<string, Window>(MAX_WINDOWS);
  readonly #attempts = new Map<string, Attempts>();
  readonly #clock: () => Date;
  readonly #enabled: boolean;

  constructor(options: { clock: () => Date; enabled?: boolean }) {
    this.#clock = options.clock;
    this.#enabled = options.enabled ?? true;
  }

  /** Seconds until the caller may try again; 0 when it may now. Counts nothing. */
  blocked(name: RateLimitName, address: string, account?: string): number {
    if (!this.#enabled) return 0;
    const now = this.#clock().getTime();
    return this.#keys(name, address, account).reduce((wait, [key, limit]) => {
      const window = this.#windows.get(key);
      if (!window || window.endsAt <= now || window.hits < limit) return wait;
      return Math.max(wait, Math.ceil((window.endsAt - now) / 1000));
    }, 0);
  }

  /** @throws {ApiError} RATE_LIMITED while the caller has to wait. Counts nothing. */
  assertFree(name: RateLimitName, address: string, account?: string): void {
    const wait = this.blocked(name, address, account);
    if (wait === 0) return;
    throw new ApiError("RATE_LIMITED", undefined, { headers: { "retry-after": String(wait) } });
  }

  /** Counts one hit. */
  hit(name: RateLimitName, address: string, account?: string): void {
    const now = this.#clock().getTime();
    for (const [key] of this.#keys(name, address, account)) {
      const window = this.#windows.get(key);
      if (window && window.endsAt > now) window.hits++;
      else this.#windows.set(key, { hits: 1, endsAt: now + rateLimits[name].window * 1000 });
    }
  }

  /**
   * Runs an attempt of which only failures count. No more run at a time than may still fail: what is beyond waits for
   * the outcome of the others, so that guesses sent together gain nothing and successes lose nothing.
   *
   * @param attempt Gives null when it fails.
   * @throws {ApiError} RATE_LIMITED
   */
  async attempt<R>(
    name: RateLimitName,
    { address, account }: { address: string; account?: string },
    attempt: () => Promise<R | null>,
  ): Promise<R | null> {
    if (!this.#enabled) return await attempt();
    const keys = this.#keys(name, address, account);
    for (;;) {
      this.assertFree(name, address, account);
      const full = keys.find(([key, limit]) => this.#failures(key) + this.#running(key) >= limit);
      if (!full) break;
      await this.#attempts.get(full[0])?.next.promise;
    }
    for (const [key] of keys) this.#enter(key);
    try {
      const result = await attempt();
      if (result === null) this.hit(name, address, account);
      return result;
    } finally {
      for (const [key] of keys) this.#leave(key);
    }
  }

  #failures(key: string): number {
    const window = this.#windows.get(key);
    return window && window.endsAt > this.#clock().getTime() ? window.hits : 0;
  }

  #running(key: string): number {
    return this.#attempts.get(key)?.running ?? 0;
  }

  #enter(key: string): void {
    const attempts = this.#attempts.get(key) ?? { running: 0, next: Promise.withResolvers<void>() };
    attempts.running++;
    this.#attempts.set(key, attempts);
  }

  /** One has ended: those who wait look again. */
  #leave(key: string): void {
    const attempts = this.#attempts.get(key);
    if (!attempts) return;
    attempts.running--;
    attempts.next.resolve();
    attempts.next = Promise.withResolvers<void>();
    if (attempts.running === 0) this.#attempts.delete(key);
  }

  #keys(name: RateLimitName, address: string, account?: string): [string, number][] {
    const limit: RateLimit = rateLimits[name];
    const keys: [string, number][] = [];
    if (limit.perAddress) keys.push([`${name}:address:${networkOf(address)}`, limit.perAddress]);
    if (limit.perAccount && account) keys.push([`${name}:account:${account}`, limit.perAccount]);
    return keys;
  }
}
