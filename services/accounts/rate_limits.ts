// Holds each network, each account and each known device to the limits of limits.ts, over all processes on a store.
import { networksOf } from "../../core/addresses.ts";
import { RunningAttempts } from "./attempts.ts";
import type { Forgiven } from "./count_notes.ts";
import { Counts, idOf } from "./counts.ts";
import { limited, type Standing } from "./limit_headers.ts";
import { keys, OF_DEVICES, usualLimit } from "./limit_keys.ts";
import { type RateLimit, type RateLimitName, rateLimits } from "./limits.ts";
import type { SharedCounts } from "./shared_counts.ts";

/** The factor by which limits are higher for what many may share: an IPv6 /48, or a proxy not in the settings. */
export const OF_MANY = 10;
/** Tries of a network for an account that is under attack. */
export const SLOWED = 2;

/** Who asks, as far as it is known. */
export interface Caller {
  readonly address?: string;
  /** The e-mail or id that the account is asked for by, whether or not there is such an account. */
  readonly account?: string;
  /**
   * A device that this account has signed in from before (OWASP, "Slow Down Online Guessing Attacks with Device
   * Cookies").
   */
  readonly device?: string;
}

/** A key of the windows, and how many hits it may have. */
interface Allowance {
  readonly key: string;
  readonly limit: number;
}

export interface RateLimiterOptions {
  /** Milliseconds, monotonic. */
  readonly elapsed: () => number;
  /** @default true */
  readonly enabled?: boolean;
  /** True for the address of a proxy that is not in the settings, which many may share. @default false for all */
  readonly isShared?: (address: string) => boolean;
  /** What other processes on the store count. @default there are none */
  readonly others?: SharedCounts | null;
}

export class RateLimiter {
  readonly #counts: Counts;
  readonly #running = new Map<RateLimitName, RunningAttempts>();
  readonly #enabled: boolean;
  readonly #isShared: (address: string) => boolean;

  constructor(
    { elapsed, enabled = true, isShared = () => false, others = null }: RateLimiterOptions,
  ) {
    this.#enabled = enabled;
    this.#isShared = isShared;
    this.#counts = new Counts({
      elapsed,
      others: enabled ? others : null,
      usualLimit,
      forgive: (name, forgiven) => this.#forgiveAsTold(name, forgiven),
    });
    for (const name of Object.keys(rateLimits)) {
      this.#running.set(name as RateLimitName, new RunningAttempts());
    }
  }

  /** Whether other processes count too, so that there is something to `exchange`. */
  get shared(): boolean {
    return this.#counts.shared;
  }

  /** Seconds until the caller may try again; 0 when it may now. Counts nothing. */
  blocked(name: RateLimitName, caller: Caller): number {
    return this.#longestWait(name, caller).seconds;
  }

  /** @throws {ApiError} RATE_LIMITED while the caller has to wait. Counts nothing. */
  assertFree(name: RateLimitName, caller: Caller): void {
    const { seconds, limit } = this.#longestWait(name, caller);
    if (seconds === 0) return;
    throw limited({ policy: name, quota: limit, window: rateLimits[name].window, seconds });
  }

  /** Of what holds the caller, where least is left; null where nothing does. Counts nothing. */
  standing(name: RateLimitName, caller: Caller): Standing | null {
    if (!this.#enabled) return null;
    const count = (key: string) => this.#counts.count(name, key);
    const [tightest] = this.#allowances(name, caller, count)
      .filter(({ limit }) => limit !== Infinity)
      .map(({ key, limit }) => ({ key, limit, left: Math.max(0, limit - count(key)) }))
      .sort((a, b) => a.left - b.left);
    if (!tightest) return null;
    const { key, limit, left } = tightest;
    const { window } = rateLimits[name];
    const seconds = Math.ceil(this.#counts.wait(name, key, 1) / 1000) || window;
    return { policy: name, quota: limit, window, left, seconds };
  }

  /** Counts one hit. */
  hit(name: RateLimitName, caller: Caller): void {
    if (!this.#enabled) return;
    const allowances = this.#allowances(name, caller, (key) => this.#counts.count(name, key));
    for (const { key } of allowances) this.#counts.add(name, key);
  }

  /** Counts one hit. @throws {ApiError} RATE_LIMITED, and nothing is counted, while the caller has to wait. */
  take(name: RateLimitName, caller: Caller): void {
    this.assertFree(name, caller);
    this.hit(name, caller);
  }

  /** Counts one hit, unless the caller has to wait. @returns Whether it was free. */
  tryTake(name: RateLimitName, caller: Caller): boolean {
    if (this.blocked(name, caller) > 0) return false;
    this.hit(name, caller);
    return true;
  }

  /**
   * Runs an attempt of which only failures count, and a success clears what this caller failed before for this
   * account. No more attempts run at a time than may still fail; further ones wait for the outcome of those, so that
   * guesses sent together gain nothing, and right ones among them are not refused.
   *
   * @param attempt Gives null when it fails.
   * @throws {ApiError} RATE_LIMITED
   */
  async attempt<R>(
    name: RateLimitName,
    caller: Caller,
    attempt: () => Promise<R | null>,
  ): Promise<R | null> {
    if (!this.#enabled) return await attempt();
    const entered = await this.#enter(name, caller);
    try {
      const result = await attempt();
      if (result === null) { for (const key of entered) this.#counts.add(name, key); }
      else this.#forgive(name, caller);
      return result;
    } finally {
      for (const key of entered) this.#running.get(name)!.end(key);
    }
  }

  /** Forgets what was counted for an account from all networks. Call when someone has proven that it is theirs. */
  clear(name: RateLimitName, account: string): void {
    this.#clearHere(name, account);
    const [start, end] = [`${name}\n`, `\n${account}`];
    this.#counts.forgave(
      { limit: name, account },
      (id) => id.startsWith(start) && id.endsWith(end) && !id.startsWith(`${start}network\n`),
    );
  }

  /**
   * Tells other processes on the store what was counted here, and reads what was counted there. To be called often: it
   * does nothing before it is time.
   *
   * @throws {StoreUnavailable} What was known goes on to count.
   */
  async exchange(): Promise<void> {
    await this.#counts.exchange();
  }

  /** The seconds that the caller has to wait, and the limit that asks for most of them. */
  #longestWait(name: RateLimitName, caller: Caller): { seconds: number; limit: number } {
    let longest = { seconds: 0, limit: 0 };
    if (!this.#enabled) return longest;
    const allowances = this.#allowances(name, caller, (key) => this.#counts.count(name, key));
    for (const { key, limit } of allowances) {
      const seconds = Math.ceil(this.#counts.wait(name, key, limit) / 1000);
      if (seconds > longest.seconds) longest = { seconds, limit };
    }
    return longest;
  }

  /**
   * The allowances that hold this caller. A known device has one of its own, which strangers cannot use up. A network
   * that has reached its limit is allowed more for accounts that have not failed from it, so that neighbours lock out
   * nobody who has the right password; a whole IPv6 /48 is then allowed no more than one IPv4 address.
   *
   * @param count Hits of a key so far.
   */
  #allowances(
    name: RateLimitName,
    { address, account, device }: Caller,
    count: (key: string) => number,
  ): Allowance[] {
    const { perNetwork, perPair, perAccount, slowAfter }: RateLimit = rateLimits[name];
    if (perPair && account && device) {
      const own = { key: keys.device(device, account), limit: perPair };
      const all = { key: keys.devices(account), limit: perPair * OF_DEVICES };
      if ([own, all].every(({ key, limit }) => count(key) < limit)) return [own, all];
    }
    const found: Allowance[] = [];
    let tries = perPair;
    if (account && (perAccount || slowAfter)) {
      const key = keys.account(account);
      found.push({ key, limit: perAccount ?? Infinity });
      if (slowAfter && count(key) >= slowAfter) tries = SLOWED;
    }
    for (const { network, share, nearest } of this.#networks(address)) {
      const pair = tries && account ? keys.pair(network, account) : null;
      if (pair) found.push({ key: pair, limit: tries! * share });
      if (!perNetwork) continue;
      const fresh = nearest && pair !== null && count(pair) === 0;
      const limit = perNetwork * share * (fresh ? OF_MANY : 1);
      found.push({ key: keys.network(network), limit });
    }
    return found;
  }

  /** The networks that an address is in, the nearest (smallest) first, each with the factor `share` for its limits. */
  #networks(address: string | undefined): { network: string; share: number; nearest: boolean }[] {
    if (address === undefined) return [];
    const shared = this.#isShared(address);
    return networksOf(address).map((network, level) => ({
      network,
      share: shared || level > 0 ? OF_MANY : 1,
      nearest: level === 0,
    }));
  }

  /** Waits for a place among the attempts that run. @returns The keys under which it is counted as running. */
  async #enter(name: RateLimitName, caller: Caller): Promise<string[]> {
    const running = this.#running.get(name)!;
    const count = (key: string) => this.#counts.count(name, key) + running.count(key);
    for (;;) {
      this.assertFree(name, caller);
      const allowances = this.#allowances(name, caller, count);
      const full = allowances.find(({ key, limit }) =>
        count(key) >= limit && running.count(key) > 0
      );
      if (full) {
        await running.next(full.key);
        continue;
      }
      const entered = allowances.map(({ key }) => key);
      for (const key of entered) running.begin(key);
      return entered;
    }
  }

  /** Takes back what a caller's failures for an account added, here and at other processes. */
  #forgive(name: RateLimitName, caller: Caller): void {
    const { address, account, device } = caller;
    if (!account) return;
    this.#forgiveHere(name, caller);
    if (!this.shared) return;
    const told = this.#networks(address).map(({ network }) =>
      idOf(name, keys.pair(network, account))
    );
    if (device) told.push(idOf(name, keys.device(device, account)));
    this.#counts.forgave({ limit: name, account, address, device }, (id) => told.includes(id));
  }

  #forgiveHere(name: RateLimitName, { address, account, device }: Caller): void {
    if (!account) return;
    if (device) {
      const own = keys.device(device, account);
      const hits = this.#counts.own(name, own);
      this.#counts.subtract(name, keys.devices(account), hits);
      this.#counts.subtract(name, own, hits);
    }
    for (const { network, nearest } of this.#networks(address)) {
      const pair = keys.pair(network, account);
      const hits = this.#counts.own(name, pair);
      this.#counts.subtract(name, keys.network(network), hits);
      if (nearest) this.#counts.subtract(name, keys.account(account), hits);
      this.#counts.subtract(name, pair, hits);
    }
  }

  #clearHere(name: RateLimitName, account: string): void {
    for (const key of this.#counts.keys(name)) {
      // First what is cheapest: there may be a hundred thousand.
      if (!key.endsWith(`\n${account}`) || key.startsWith("network\n")) continue;
      const [kind, network] = key.split("\n", 2);
      const hits = this.#counts.own(name, key);
      if (kind === "pair") this.#counts.subtract(name, keys.network(network!), hits);
      this.#counts.subtract(name, key, hits);
    }
  }

  /** What another process has forgiven is taken back of what was counted here; it is not told any further. */
  #forgiveAsTold(name: RateLimitName, { account, address, device }: Forgiven): void {
    if (address === undefined && device === undefined) this.#clearHere(name, account);
    else this.#forgiveHere(name, { account, address, device });
  }
}
