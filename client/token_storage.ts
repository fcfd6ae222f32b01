// Where a session's tokens are kept, and how the tabs of a browser that share them take turns.
import { browser } from "./platform.ts";

export interface Tokens {
  readonly accessToken: string;
  /** Absent where a cookie holds it that no script reads. */
  readonly refreshToken?: string;
  /** When the access token ends, in milliseconds since 1970. */
  readonly expiresAt: number;
}

export interface TokenStorage {
  get(): Tokens | null;
  set(tokens: Tokens | null): void;
  /** Calls back when another tab has changed the tokens. @returns What ends that. */
  watch(changed: () => void): () => void;
  /** Runs one after the other whatever is given the same storage, in all tabs. */
  exclusively<T>(run: () => Promise<T>): Promise<T>;
}

/** Ends with the page or the process. */
export function memoryStorage(): TokenStorage {
  let kept: Tokens | null = null;
  return {
    get: () => kept,
    set: (tokens) => void (kept = tokens),
    watch: () => () => {},
    exclusively: inTurn(),
  };
}

/**
 * Shared by all tabs of an origin. Whatever script runs in the page can read it: see `refreshCookie` of `connect` for
 * what cannot be carried away.
 *
 * @param key The name under which `localStorage` has it.
 */
export function browserStorage(key = "quarterdeck.session"): TokenStorage {
  const here = inTurn();
  const kept = browser.localStorage;
  if (!kept) throw new TypeError("Cannot keep a session in localStorage: there is none here");
  return {
    get: () => parsed(kept.getItem(key)),
    set(tokens) {
      if (tokens) kept.setItem(key, JSON.stringify(tokens));
      else kept.removeItem(key);
    },
    watch(changed) {
      const listen = (event: { key?: string | null }) => {
        if (event.key === key || event.key === null) changed();
      };
      browser.addEventListener?.("storage", listen);
      return () => browser.removeEventListener?.("storage", listen);
    },
    exclusively(run) {
      // Pages without TLS have none. There the server gives two tabs that rotate within ten seconds the same pair.
      const locks = browser.navigator?.locks;
      return here(() => locks ? locks.request(key, run) : run());
    },
  };
}

/** The browser's where there is one, else memory. */
export function defaultStorage(): TokenStorage {
  try {
    return browser.document !== undefined && browser.localStorage
      ? browserStorage()
      : memoryStorage();
  } catch {
    // Browsers may forbid storage: https://html.spec.whatwg.org/multipage/webstorage.html
    return memoryStorage();
  }
}

function parsed(text: string | null): Tokens | null {
  try {
    const tokens = JSON.parse(text ?? "null") as Tokens | null;
    return typeof tokens?.accessToken === "string" && typeof tokens.expiresAt === "number"
      ? tokens
      : null;
  } catch {
    return null;
  }
}

/** Runs what it is given one after the other. */
function inTurn(): <T>(run: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const next = last.then(run, run);
    last = next.catch(() => {});
    return next;
  };
}
