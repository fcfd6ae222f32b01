// Providers of OpenID Connect: what is known of each, and the two steps of a sign-in that involve it.
//
// The library checks the answers (OpenID Connect Core, section 3.1.3.7): issuer, audience, nonce, times, signature. Keys
// are asked for at each sign-in, so that one which the provider took back is not taken, and a new one is.
import { getLogger } from "@logtape/logtape";
import type * as OpenId from "openid-client";
import type { ProviderSettings } from "../../config/providers.ts";
import type { Settings } from "../../config/settings.ts";
import { ApiError, existing } from "../../core/errors.ts";
import { beginningOf } from "../../core/text.ts";
import { HOUR, SECOND } from "../../core/units.ts";
import { emailAddress } from "../../models/requests.ts";
import { DEADLINE, fetchWithin, isDown } from "./provider_requests.ts";

const log = getLogger(["quarterdeck", "providers"]);

/** Loaded where there are providers: it takes 35 ms and 5 MB. */
const library = () => import("openid-client");

/** Milliseconds after which what a provider says of itself is asked for again, beside the sign-ins. */
const FRESH = HOUR;
/** Milliseconds after a failure in which nothing more is asked, so that nobody waits for a provider that is down. */
const RESTING = 10 * SECOND;
/** OpenID Connect Core, section 2: a subject has 255 ASCII characters at most. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;
const MAX_NAME = 200;

/** What the two steps of a sign-in have in common, kept by the browser meanwhile. */
export interface Secrets {
  readonly state: string;
  readonly nonce: string;
  /** RFC 7636 */
  readonly verifier: string;
  /** Whether the person has to prove anew who they are. */
  readonly fresh?: boolean;
}

/** Who someone is at a provider, as its signed token says. */
export interface Claims {
  readonly issuer: string;
  readonly subject: string;
  /** Lower case. */
  readonly email?: string;
  readonly emailVerified: boolean;
  readonly name?: string;
  /** Whether a second factor was given there (RFC 8176, `mfa`). */
  readonly secondFactor: boolean;
  /** When the person proved who they are, ISO 8601, where the provider says so. */
  readonly provenAt?: string;
}

/** Why a provider's answer came to nothing: the person said no; or it cannot be trusted. */
export type Refusal = "denied" | "failed";

export interface ProvidersOptions {
  readonly settings: Settings;
  /** Milliseconds, monotonic. */
  readonly elapsed: () => number;
  /** Milliseconds for one request. @default 5000 */
  readonly deadline?: number;
}

export class Providers {
  readonly #byName: ReadonlyMap<string, Provider>;

  constructor(options: ProvidersOptions) {
    const { providers } = options.settings;
    this.#byName = new Map(providers.map((one) => [one.name, new Provider(one, options)]));
  }

  /** @throws {ApiError} NOT_FOUND */
  named(name: string): Provider {
    return existing(this.#byName.get(name), "provider");
  }

  /** Asks all of them what they are, in the background, so that the first sign-in need not wait. */
  warmUp(): void {
    for (const provider of this.#byName.values()) provider.warmUp();
  }
}

export class Provider {
  readonly #fetch: ReturnType<typeof fetchWithin>;
  #known: { readonly metadata: OpenId.ServerMetadata; readonly at: number } | null = null;
  #asking: Promise<OpenId.ServerMetadata> | null = null;
  #failedAt = -Infinity;

  constructor(readonly settings: ProviderSettings, readonly options: ProvidersOptions) {
    this.#fetch = fetchWithin(options.deadline ?? DEADLINE);
  }

  warmUp(): void {
    this.#ask().catch(() => {});
  }

  /**
   * Where the browser is sent to sign in.
   *
   * @throws {ApiError} UNAVAILABLE while the provider is down.
   */
  async begin({ state, nonce, verifier, fresh }: Secrets): Promise<URL> {
    const oidc = await library();
    const client = await this.#client(oidc);
    return oidc.buildAuthorizationUrl(client, {
      redirect_uri: this.#callback(),
      scope: "openid email profile",
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      ...(fresh ? { max_age: "0" } : {}),
    });
  }

  /**
   * Exchanges what the browser came back with.
   *
   * @param search The query that it came back with.
   * @throws {ApiError} UNAVAILABLE while the provider is down.
   */
  async finish(search: string, secrets: Secrets): Promise<Claims | Refusal> {
    const oidc = await library();
    const client = await this.#client(oidc);
    try {
      const tokens = await oidc.authorizationCodeGrant(client, new URL(this.#callback() + search), {
        expectedState: secrets.state,
        expectedNonce: secrets.nonce,
        pkceCodeVerifier: secrets.verifier,
        idTokenExpected: true,
        ...(secrets.fresh ? { maxAge: 0 } : {}),
      });
      return await this.#claims(oidc, client, tokens);
    } catch (error) {
      if (isDown(error)) throw this.#unavailable(error);
      const answered = error instanceof oidc.AuthorizationResponseError;
      if (answered && error.error === "access_denied") return "denied";
      log.warn("A sign-in by {provider} is not taken: {reason}", {
        provider: this.settings.name,
        reason: reasonOf(error),
      });
      return "failed";
    }
  }

  async #claims(
    oidc: typeof OpenId,
    client: OpenId.Configuration,
    tokens: OpenId.TokenEndpointResponse & OpenId.TokenEndpointResponseHelpers,
  ): Promise<Claims> {
    const proven = tokens.claims()!;
    if (!SUBJECT.test(proven.sub)) throw new Error("the subject is too long, or no ASCII");
    // Some providers tell the address and the name only when they are asked for them.
    const asked = proven.email === undefined && client.serverMetadata().userinfo_endpoint;
    const { email, email_verified: verified, name }: Record<string, unknown> = asked
      ? await oidc.fetchUserInfo(client, tokens.access_token, proven.sub)
      : proven;
    const { amr } = proven;
    const address = emailAddress.safeParse(email).data;
    return {
      issuer: proven.iss,
      subject: proven.sub,
      email: address,
      emailVerified: address !== undefined && (verified === true || this.settings.trustEmail),
      name: typeof name === "string" ? beginningOf(name, MAX_NAME) : undefined,
      secondFactor: Array.isArray(amr) && amr.includes("mfa"),
      provenAt: timeOf(proven.auth_time),
    };
  }

  /** The client for one sign-in. @throws {ApiError} UNAVAILABLE */
  async #client(oidc: typeof OpenId): Promise<OpenId.Configuration> {
    const { clientId, clientSecret } = this.settings;
    const metadata = await this.#metadata();
    const client = new oidc.Configuration(
      metadata,
      clientId,
      undefined,
      authenticationOf(oidc, metadata, clientSecret),
    );
    client[oidc.customFetch] = this.#fetch;
    // The requests end by themselves, and are then known as what they are.
    client.timeout = undefined;
    oidc.enableNonRepudiationChecks(client);
    if (this.#insecure) oidc.allowInsecureRequests(client);
    return client;
  }

  /** What the provider says of itself; once known it is at hand, also while the provider is down. */
  async #metadata(): Promise<OpenId.ServerMetadata> {
    const now = this.options.elapsed();
    const resting = now - this.#failedAt < RESTING;
    if (this.#known) {
      if (now - this.#known.at > FRESH && !resting) this.warmUp();
      return this.#known.metadata;
    }
    if (resting) throw this.#unavailable();
    return await this.#ask();
  }

  /** @throws {ApiError} UNAVAILABLE */
  #ask(): Promise<OpenId.ServerMetadata> {
    return this.#asking ??= this.#discover().finally(() => this.#asking = null);
  }

  async #discover(): Promise<OpenId.ServerMetadata> {
    const { issuer, clientId } = this.settings;
    try {
      const oidc = await library();
      const client = await oidc.discovery(new URL(issuer), clientId, undefined, undefined, {
        [oidc.customFetch]: this.#fetch,
        execute: this.#insecure ? [oidc.allowInsecureRequests] : [],
      });
      const metadata: OpenId.ServerMetadata = JSON.parse(JSON.stringify(client.serverMetadata()));
      if (metadata.issuer !== issuer) {
        throw new Error(`it calls itself '${metadata.issuer}', and the settings '${issuer}'`);
      }
      this.#known = { metadata, at: this.options.elapsed() };
      return metadata;
    } catch (error) {
      this.#failedAt = this.options.elapsed();
      throw this.#unavailable(error);
    }
  }

  #unavailable(error?: unknown): ApiError {
    const { name, label } = this.settings;
    if (error !== undefined) {
      log.warn("The provider {provider} cannot be used: {reason}", {
        provider: name,
        reason: reasonOf(error),
      });
    }
    const message = `${label} cannot be reached: try again shortly, or sign in another way`;
    return new ApiError("UNAVAILABLE", message, {
      headers: { "retry-after": String(RESTING / SECOND) },
    });
  }

  get #insecure(): boolean {
    return this.settings.issuer.startsWith("http:");
  }

  /** Where the provider sends the browser back to: it is registered there. */
  #callback(): string {
    const { publicUrl, basePath } = this.options.settings;
    return `${publicUrl}${basePath}/auth/oidc/${this.settings.name}/callback`;
  }
}

/** How the client proves who it is: by the way that is the rule where the provider names none (RFC 8414 section 2). */
function authenticationOf(
  oidc: typeof OpenId,
  { token_endpoint_auth_methods_supported: methods = ["client_secret_basic"] }:
    OpenId.ServerMetadata,
  secret: string | undefined,
): OpenId.ClientAuth {
  if (secret === undefined) return oidc.None();
  return methods.includes("client_secret_basic")
    ? oidc.ClientSecretBasic(secret)
    : oidc.ClientSecretPost(secret);
}

/** The innermost cause: the outer ones say that something went wrong. */
function reasonOf(error: unknown): string {
  let cause = error;
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause;
  return cause instanceof Error ? cause.message : String(cause);
}

/** @param seconds Since the epoch. */
function timeOf(seconds: unknown): string | undefined {
  const sound = typeof seconds === "number" && seconds >= 0 && seconds < 1e11;
  return sound ? new Date(seconds * 1000).toISOString() : undefined;
}
