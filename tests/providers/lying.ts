// A provider of OpenID Connect that a test has lie: its own claims, keys, algorithm, metadata, or no answer at all.
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { CLIENT } from "./real.ts";

export interface Lies {
  /** Over those that are right. Undefined leaves one out. */
  claims?: Readonly<Record<string, unknown>>;
  /** Over what it says of itself. */
  metadata?: Readonly<Record<string, unknown>>;
  /** Signs the token. @default with the key that it publishes */
  sign?: (claims: Record<string, unknown>) => Promise<string> | string;
  /** Answers in its place, by path. */
  answers?: Readonly<Record<string, () => Response | Promise<Response>>>;
}

interface Asked {
  readonly nonce: string;
  readonly challenge: string;
}

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

/** The key of every provider of a file until it has another: to make one takes as long as several sign-ins. */
let firstKey: Promise<KeyPair> | undefined;

export class LyingProvider implements AsyncDisposable {
  lies: Lies = {};
  /** The paths that it was asked for, in order. */
  readonly requests: string[] = [];
  readonly issuer: string;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #codes = new Map<string, Asked>();
  #key: KeyPair;
  #kid = "first";

  private constructor(key: KeyPair) {
    this.#key = key;
    this.#server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      (request) => this.#answer(request),
    );
    this.issuer = `http://127.0.0.1:${this.#server.addr.port}`;
  }

  static async start(): Promise<LyingProvider> {
    return new LyingProvider(await (firstKey ??= generateKeyPair("RS256")));
  }

  /** Publishes another key in place of the one before, and signs with it. */
  async rotateKey(): Promise<void> {
    this.#key = await generateKeyPair("RS256");
    this.#kid = crypto.randomUUID();
  }

  async [Symbol.asyncDispose]() {
    await this.#server.shutdown();
  }

  /** A person signs in. @returns Where the browser is sent back to. */
  signIn(authorization: URL, params: Readonly<Record<string, string | undefined>> = {}): URL {
    const asked = authorization.searchParams;
    const code = crypto.randomUUID();
    this.#codes.set(code, {
      nonce: asked.get("nonce")!,
      challenge: asked.get("code_challenge")!,
    });
    const callback = new URL(asked.get("redirect_uri")!);
    const back = { code, state: asked.get("state")!, iss: this.issuer, ...params };
    for (const [name, value] of Object.entries(back)) {
      if (value !== undefined) callback.searchParams.set(name, value);
    }
    return callback;
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    this.requests.push(pathname);
    const lie = this.lies.answers?.[pathname];
    if (lie) return await lie();
    switch (pathname) {
      case "/.well-known/openid-configuration":
        return Response.json({ ...this.#metadata(), ...this.lies.metadata });
      case "/keys":
        return Response.json({ keys: [await this.#publicKey()] });
      case "/token":
        return await this.#token(request);
      default:
        return new Response(null, { status: 404 });
    }
  }

  #metadata() {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
      authorization_response_iss_parameter_supported: true,
    };
  }

  async #publicKey() {
    return { ...await exportJWK(this.#key.publicKey), kid: this.#kid, use: "sig", alg: "RS256" };
  }

  async #token(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text());
    const asked = this.#codes.get(form.get("code") ?? "");
    this.#codes.delete(form.get("code") ?? "");
    const verifier = new TextEncoder().encode(form.get("code_verifier") ?? "");
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", verifier));
    const challenge = hash.toBase64({ alphabet: "base64url", omitPadding: true });
    if (asked?.challenge !== challenge) {
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    }
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: this.issuer,
      sub: "person-1",
      aud: CLIENT.id,
      iat: now,
      exp: now + 60,
      nonce: asked.nonce,
      email: "person@example.com",
      email_verified: true,
      name: "Person One",
      ...this.lies.claims,
    };
    const token = await (this.lies.sign ?? ((all) => this.sign(all)))(claims);
    return Response.json({ access_token: "opaque", token_type: "Bearer", id_token: token });
  }

  /** With its own key, unless told otherwise. */
  async sign(
    claims: Record<string, unknown>,
    { key = this.#key.privateKey, kid = this.#kid } = {},
  ) {
    return await new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid }).sign(key);
  }
}
