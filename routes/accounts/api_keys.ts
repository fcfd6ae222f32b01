// API keys: one's own, and those of a user for administrators.
import { z } from "zod";
import { type Call, endpoint } from "../../http/endpoint.ts";
import { listing, pagination } from "../../http/lists.ts";
import { conflict, existing, invalid, notFound } from "../../core/errors.ts";
import {
  type ApiKey,
  apiKeyCreation,
  apiKeyListQuery,
  apiKeys,
  apiKeyUpdate,
  createdApiKey,
  publicApiKey,
} from "../../models/api_keys.ts";
import { deleted, patchOf } from "../../models/requests.ts";
import { users } from "../../models/users.ts";
import { assertMayGrant } from "../../services/access/access.ts";
import { assertMayManage, roleOf } from "../../services/access/users.ts";
import { newApiKey } from "../../services/accounts/api_keys.ts";
import { sessionOf } from "../../services/accounts/principals.ts";
import type { Transaction } from "../../storage/port.ts";

const tag = "API keys";
/** Keys of a user at most. */
const MAX_KEYS = 50;

async function keysOf(
  { store, query }: { store: Call["store"]; query: z.output<typeof apiKeyListQuery> },
  userId: string,
) {
  const paging = listing<ApiKey>(query);
  const page = await store.from(apiKeys).list({ ...paging, where: { ...query.where, userId } });
  return { data: [...page.rows], pagination: pagination(paging, page) };
}

/** @throws {ApiError} NOT_FOUND, also for keys of others. */
async function ownKey(tx: Transaction, id: string, userId: string): Promise<ApiKey> {
  const key = await tx.from(apiKeys).get(id);
  if (key?.userId !== userId) throw notFound("API key");
  return key;
}

/**
 * Nobody gives a key more than they hold, beside what everyone signed in may do with their own.
 *
 * @param given Scopes that the key has already. @default none
 * @throws {ApiError} FORBIDDEN
 */
function assertMayScope(
  { principal, services }: Pick<Call<"authenticated">, "principal" | "services">,
  scopes: readonly string[],
  given?: readonly string[],
): void {
  const { open } = services.settings.variant;
  const asked = scopes.filter((scope) => !open.includes(scope.slice(0, scope.indexOf(":"))));
  assertMayGrant(principal, asked, given);
}

/** @throws {ApiError} VALIDATION_ERROR */
function assertToCome(expiresAt: string | null | undefined, now: string): void {
  if (expiresAt && expiresAt <= now) throw invalid("expiresAt", "must be in the future");
}

const list = endpoint({
  operationId: "listApiKeys",
  method: "get",
  path: "/auth/keys",
  tag,
  summary: "One's own API keys",
  access: "authenticated",
  ownSession: true,
  query: apiKeyListQuery,
  list: true,
  data: z.array(publicApiKey),
  handle: (call) => keysOf(call, call.principal.user.id),
});

const create = endpoint({
  operationId: "createApiKey",
  method: "post",
  path: "/auth/keys",
  tag,
  summary: "Make an API key",
  description:
    "The answer holds the key, this once. It is sent where an access token is: `Authorization: Bearer qd_…`. It opens " +
    "what its scopes name, never more than you hold at the time of a request, and nothing that makes credentials.",
  access: "authenticated",
  ownSession: true,
  stepUp: true,
  secret: true,
  created: true,
  body: apiKeyCreation,
  data: createdApiKey,
  errors: ["CONFLICT", "FORBIDDEN"],
  async handle(call) {
    const { name, scopes, addresses = [], expiresAt } = call.body;
    const { key, keyHash, start } = newApiKey();
    const record = await call.transact(async (tx) => {
      const userId = call.principal.user.id;
      assertToCome(expiresAt, tx.now);
      assertMayScope(call, scopes);
      if (await tx.from(apiKeys).count({ userId }) >= MAX_KEYS) {
        throw conflict(`Nobody has more than ${MAX_KEYS} API keys: delete one first`);
      }
      // The user is written, so that keys made at the same time are counted.
      tx.update(users, existing(await tx.from(users).get(userId), "user"), {});
      const { secondFactor = false } = sessionOf(call.principal);
      const fields = { userId, name, scopes, addresses, expiresAt, keyHash, start };
      return tx.insert(apiKeys, { ...fields, secondFactor });
    });
    return { data: { ...record, key }, message: "Keep the key: it is shown this once" };
  },
});

const details = endpoint({
  operationId: "getApiKey",
  method: "get",
  path: "/auth/keys/{id}",
  tag,
  summary: "One of one's own API keys",
  access: "authenticated",
  ownSession: true,
  data: publicApiKey,
  errors: ["NOT_FOUND"],
  async handle(call) {
    const key = await call.store.from(apiKeys).get(call.params.id);
    if (key?.userId !== call.principal.user.id) throw notFound("API key");
    return { data: key };
  },
});

const update = endpoint({
  operationId: "updateApiKey",
  method: "put",
  path: "/auth/keys/{id}",
  tag,
  summary: "Change the name, scopes, addresses or end of an API key",
  access: "authenticated",
  ownSession: true,
  stepUp: true,
  body: apiKeyUpdate,
  data: publicApiKey,
  errors: ["NOT_FOUND", "FORBIDDEN"],
  async handle(call) {
    const { scopes, expiresAt } = call.body;
    const key = await call.transact(async (tx) => {
      const key = await ownKey(tx, call.params.id, call.principal.user.id);
      assertToCome(expiresAt, tx.now);
      if (scopes) assertMayScope(call, scopes, key.scopes);
      const proven = sessionOf(call.principal).secondFactor ? { secondFactor: true } : {};
      return tx.update(apiKeys, key, { ...patchOf(call.body), ...proven });
    });
    return { data: key, message: "The API key is saved" };
  },
});

const revoke = endpoint({
  operationId: "deleteApiKey",
  method: "delete",
  path: "/auth/keys/{id}",
  tag,
  summary: "Revoke an API key: it opens nothing from now on",
  access: "authenticated",
  ownSession: true,
  data: deleted,
  errors: ["NOT_FOUND"],
  async handle(call) {
    const { id } = call.params;
    await call.transact(async (tx) => {
      tx.remove(apiKeys, await ownKey(tx, id, call.principal.user.id));
    });
    return { data: { id }, message: "The API key is revoked" };
  },
});

const listOfUser = endpoint({
  operationId: "listUserApiKeys",
  method: "get",
  path: "/users/{id}/keys",
  tag,
  summary: "The API keys of a user",
  description: "Not those of someone who may do more than you.",
  access: "users:update",
  ownSession: true,
  query: apiKeyListQuery,
  list: true,
  data: z.array(publicApiKey),
  errors: ["NOT_FOUND"],
  async handle(call) {
    const user = existing(await call.store.from(users).get(call.params.id), "user");
    assertMayManage(call.principal, user, await roleOf(call.store, user));
    return await keysOf(call, user.id);
  },
});

const revokeOfUser = endpoint({
  operationId: "deleteUserApiKey",
  method: "delete",
  path: "/users/{id}/keys/{keyId}",
  tag,
  summary: "Revoke an API key of a user",
  access: "users:update",
  ownSession: true,
  data: deleted,
  errors: ["NOT_FOUND"],
  async handle(call) {
    const { id, keyId } = call.params;
    await call.transact(async (tx) => {
      const user = existing(await tx.from(users).get(id), "API key");
      assertMayManage(call.principal, user, await roleOf(tx, user));
      tx.remove(apiKeys, await ownKey(tx, keyId, id));
    });
    return { data: { id: keyId }, message: "The API key is revoked" };
  },
});

export const apiKeyRoutes = [list, create, details, update, revoke];
export const userApiKeyRoutes = [listOfUser, revokeOfUser];
