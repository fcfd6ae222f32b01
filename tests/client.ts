// Who asks a server that runs in a process of its own.
import assert from "node:assert/strict";
import type { Server } from "./server.ts";

/** The first administrator, where ADMIN_EMAIL does not name another. */
const ADMIN = "admin@example.com";

export interface ServerReply {
  readonly status: number;
  // deno-lint-ignore no-explicit-any -- tests look into whatever came
  readonly body: any;
}

export type Client = (method: string, path: string, body?: unknown) => Promise<ServerReply>;

/**
 * Asks for JSON. Paths begin at the root: `/api/users`.
 *
 * @param token An access token. @default none
 */
export function client({ origin }: Pick<Server, "origin">, token?: string): Client {
  return async function ask(method, path, body) {
    const form = body instanceof FormData;
    const response = await fetch(origin + path, {
      method,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body === undefined || form ? {} : { "content-type": "application/json" }),
      },
      body: body === undefined ? undefined : form ? body : JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  };
}

/** The access token of a new session. @param email @default the first administrator's */
export async function signIn(
  server: Pick<Server, "origin">,
  password: string,
  email = ADMIN,
): Promise<string> {
  const { status, body } = await client(server)("POST", "/api/auth/login", { email, password });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.accessToken;
}
