// A connection to a server: the client that the generated functions use, with a session and clear errors.
import type { Client } from "./generated/client/index.ts";
import { client as sharedClient } from "./generated/client.gen.ts";
import { login, logout } from "./generated/sdk.gen.ts";
import type { Challenged, SignedIn, User } from "./generated/types.gen.ts";
import { errorOf } from "./errors.ts";
import { type EventOptions, followEvents, type RecordEvent } from "./events.ts";
import { sendSigned, Session } from "./session.ts";
import { defaultStorage, type TokenStorage } from "./token_storage.ts";
import { type Uploaded, type UploadOptions, uploadTo } from "./upload.ts";

export interface ConnectOptions {
  /**
   * Where the API begins.
   *
   * @default `/api` of the page's own origin
   */
  readonly baseUrl?: string;
  /** @default localStorage in browsers, memory elsewhere */
  readonly storage?: TokenStorage;
  /**
   * Whether the refresh token stays in a cookie that no script reads, and the access token alone in the storage. Pages
   * of another origin must be named in the server's CORS_ORIGIN.
   *
   * @default false
   */
  readonly refreshCookie?: boolean;
  /** In place of a session: an API key. */
  readonly apiKey?: string;
  /** @default the platform's */
  readonly fetch?: typeof fetch;
  /**
   * What the generated functions use when they are given no client. For several servers, give each a `createClient()`
   * of its own and pass `client` to the functions.
   *
   * @default the one that all functions share
   */
  readonly client?: Client;
}

export interface Connection {
  readonly client: Client;
  readonly session: Session;
  /** Signs in; with a second factor, `mfaRequired` is true and nobody is signed in yet: see `begin` of the session. */
  signIn(credentials: { email: string; password: string }): Promise<Challenged | { user: User }>;
  /** Ends the session here and on the server. */
  signOut(): Promise<void>;
  /** Sends a file, in pieces as it is read. */
  upload(file: Blob, options?: UploadOptions): Promise<Uploaded>;
  /** Everything that happens, to what the caller may see; resumes after an interruption without a gap. */
  events(options?: EventOptions): AsyncGenerator<RecordEvent, void, undefined>;
}

/** @throws {ApiError} from each request that fails; nothing here sends one. */
export function connect(options: ConnectOptions = {}): Connection {
  const { storage = defaultStorage(), refreshCookie = false, apiKey, client = sharedClient } =
    options;
  const baseUrl = (options.baseUrl ?? "/api").replace(/\/+$/, "");
  const send: typeof fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  const session = new Session({ baseUrl, storage, fetch: send, refreshCookie });
  const token = async () => apiKey ?? await session.accessToken() ?? undefined;
  const tokenAfter = async (refused: string) =>
    session.gave(refused) ? await session.accessTokenAfter(refused) : null;
  const signed: typeof fetch = (input, init) => sendSigned(session, new Request(input, init), send);
  client.setConfig({
    baseUrl,
    throwOnError: true,
    auth: ({ scheme }) => scheme === "bearer" ? token() : undefined,
    fetch: signed,
    ...(refreshCookie ? { credentials: "include" as const } : {}),
  });
  client.interceptors.error.clear();
  client.interceptors.error.use((body, response) => errorOf(body, response));

  return {
    client,
    session,
    async signIn(credentials) {
      const query = refreshCookie ? { cookie: true } : undefined;
      const answer = await login({ client, body: credentials, query });
      // In variant web it stands beside the data, of which there is none.
      const data = answer.data ?? answer as unknown as typeof answer.data;
      if ("mfaRequired" in data) return data;
      session.begin(data);
      return { user: data.user };
    },
    async signOut() {
      if (session.signedIn) {
        // Whoever cannot reach the server still wants to be signed out here.
        await logout({ client }).catch(() => {});
      }
      session.end();
    },
    upload: (file, uploadOptions) =>
      uploadTo({ baseUrl, token, tokenAfter, fetch: send }, file, uploadOptions),
    events: (eventOptions) => followEvents({ baseUrl, token, fetch: signed }, eventOptions),
  };
}

export type { Challenged, SignedIn };
