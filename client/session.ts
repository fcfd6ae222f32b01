// Who is signed in: the tokens of a session, renewed in silence, one renewal for all requests and all tabs.
import { errorOf } from "./errors.ts";
import type { Tokens, TokenStorage } from "./token_storage.ts";

/** Milliseconds before its end at which an access token is renewed: clocks differ, and requests take time. */
const EARLY = 10_000;

/** Tokens given to requests that are remembered: of more, none is under way any more. */
const REMEMBERED = 4;

export interface SessionOptions {
  /** Where the API begins: `https://example.com/api`. */
  readonly baseUrl: string;
  readonly storage: TokenStorage;
  readonly fetch: typeof fetch;
  /** Whether the refresh token stays in a cookie that no script reads. */
  readonly refreshCookie: boolean;
}

/** What signing in answers with; in variant web `token` alone. */
interface SignedIn {
  readonly accessToken?: string;
  readonly token?: string;
  readonly refreshToken?: string;
  /** Seconds. */
  readonly expiresIn?: number;
}

export class Session {
  readonly #options: SessionOptions;
  readonly #listeners = new Set<(signedIn: boolean) => void>();
  #renewal: Promise<Tokens | null> | null = null;
  #signedIn: boolean;
  #given: readonly string[] = [];

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#signedIn = this.signedIn;
    options.storage.watch(() => this.#tell());
  }

  /** Whether there are tokens; whether the server still takes them, the next request shows. */
  get signedIn(): boolean {
    return this.#options.storage.get() !== null;
  }

  /**
   * Calls back when somebody signs in or out, here or in another tab, or the session ends on the server.
   *
   * @returns What ends that.
   */
  onChange(listener: (signedIn: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Begins a session with what `login`, `register`, `signInByPasskey` or another way of signing in answers. */
  begin({ token, accessToken = token, refreshToken, expiresIn }: SignedIn): void {
    if (accessToken === undefined) {
      throw new TypeError("Cannot begin a session: the answer holds no access token");
    }
    const seconds = expiresIn ?? lifetimeOf(accessToken);
    this.#keep({ accessToken, refreshToken, expiresAt: Date.now() + seconds * 1000 });
  }

  /** Forgets the tokens. To end the session on the server too: `signOut` of the connection. */
  end(): void {
    this.#keep(null);
  }

  /**
   * The access token for the next request, renewed where it is about to end; null where nobody is signed in.
   *
   * @throws {ApiError} where the server cannot be reached to renew it.
   */
  async accessToken(): Promise<string | null> {
    let tokens = this.#options.storage.get();
    if (tokens && tokens.expiresAt - EARLY <= Date.now()) tokens = await this.#renewed(tokens);
    return this.#give(tokens);
  }

  /** After the server has refused an access token: another one, or null where the session has ended. */
  async accessTokenAfter(refused: string): Promise<string | null> {
    const tokens = this.#options.storage.get();
    return this.#give(tokens?.accessToken === refused ? await this.#renewed(tokens) : tokens);
  }

  /** Whether a request has a token from here, and not one of its own. */
  gave(token: string): boolean {
    return this.#given.includes(token);
  }

  #give(tokens: Tokens | null): string | null {
    if (!tokens) return null;
    if (!this.gave(tokens.accessToken)) {
      this.#given = [tokens.accessToken, ...this.#given].slice(0, REMEMBERED);
    }
    return tokens.accessToken;
  }

  /** One renewal at a time, whoever asks. */
  #renewed(old: Tokens): Promise<Tokens | null> {
    return this.#renewal ??= this.#options.storage.exclusively(() => this.#renew(old))
      .finally(() => this.#renewal = null);
  }

  async #renew(old: Tokens): Promise<Tokens | null> {
    const tokens = this.#options.storage.get();
    // Another tab has renewed them while this one waited for its turn, or has signed out.
    if (tokens?.accessToken !== old.accessToken) return tokens;
    const { baseUrl, fetch, refreshCookie } = this.#options;
    if (!refreshCookie && tokens.refreshToken === undefined) return this.#ended();
    const response = await fetch(`${baseUrl}/auth/refresh${refreshCookie ? "?cookie=true" : ""}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      credentials: refreshCookie ? "include" : "same-origin",
      body: JSON.stringify(refreshCookie ? {} : { refreshToken: tokens.refreshToken }),
    }).catch((cause) => {
      throw errorOf(cause, undefined);
    });
    const body: unknown = await response.json().catch(() => null);
    // Who has signed out meanwhile, or in as somebody else, stays so.
    const now = this.#options.storage.get();
    if (now?.accessToken !== old.accessToken) return now;
    if (response.status === 400 || response.status === 401) return this.#ended();
    if (!response.ok) throw errorOf(body, response);
    this.begin((body as { data: SignedIn }).data);
    return this.#options.storage.get();
  }

  #ended(): null {
    this.end();
    return null;
  }

  #keep(tokens: Tokens | null): void {
    this.#options.storage.set(tokens);
    this.#tell();
  }

  #tell(): void {
    if (this.#signedIn === this.signedIn) return;
    this.#signedIn = this.signedIn;
    for (const listener of this.#listeners) listener(this.#signedIn);
  }
}

/** Seconds that a token was made for, as it says itself (RFC 7519 section 4.1): clocks may differ. */
function lifetimeOf(token: string): number {
  const payload = token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/");
  const { exp, iat } = JSON.parse(atob(payload)) as { exp: number; iat: number };
  return exp - iat;
}

/** Sends a request; where the token that the session gave it had ended on the way, once more with the next one. */
export async function sendSigned(
  session: Session,
  request: Request,
  send: typeof fetch,
): Promise<Response> {
  const token = /^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
  if (token === undefined || !session.gave(token)) return await send(request);
  const again = request.clone();
  const response = await send(request);
  const next = response.status === 401 ? await session.accessTokenAfter(token) : null;
  if (next === null) {
    await again.body?.cancel();
    return response;
  }
  await response.body?.cancel();
  again.headers.set("authorization", `Bearer ${next}`);
  return await send(again);
}
