// API keys: what programs sign in with, in the name of a user and with a part of their permissions.
import { z } from "zod";
import { collection, type RecordOf, timestamp } from "./collection.ts";
import { listQuery } from "./list_query.ts";
import { label, moment } from "./requests.ts";

export const apiKeys = collection("apiKeys", {
  userId: z.string(),
  name: z.string(),
  /** SHA-256, hex, of the key. */
  keyHash: z.string(),
  /** The first characters of the key, so that its holder knows it again. */
  start: z.string(),
  /** Permissions; what the user does not hold at the time of a request is not opened by them. */
  scopes: z.array(z.string()),
  /** Addresses and CIDR blocks that it is taken from; empty: any. */
  addresses: z.array(z.string()),
  expiresAt: timestamp.optional(),
  /**
   * Whether who made the key, or last changed it, had given a second factor. Absent in keys of before this was kept:
   * where the role asked for one, it had been given.
   */
  secondFactor: z.boolean().optional(),
  /** Written at most once a minute. */
  lastUsedAt: timestamp.optional(),
  lastUsedIp: z.string().optional(),
}, {
  traits: ["userId"],
  unique: { key: ["keyHash"] },
  filter: ["userId"],
  sort: ["name"],
  references: { userId: "users" },
  audit: (key) => key.name,
  audited: ["scopes", "addresses", "expiresAt"],
});

export type ApiKey = RecordOf<typeof apiKeys>;

const scope = z.string().regex(
  /^(\*|[\w-]{1,50}:(\*|[\w-]{1,50}))$/,
  "must be a permission such as documents:view, documents:* or *",
);
const scopes = z.array(scope).min(1, "name at least one permission").max(100);
const address = z.union(
  [z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()],
  "must be an address, or a block such as 192.0.2.0/24",
);
const addresses = z.array(address).max(50);

export const apiKeyCreation = z.object({
  name: label,
  scopes,
  addresses: addresses.optional(),
  expiresAt: moment.optional(),
});

export const apiKeyUpdate = z.object({
  name: label.optional(),
  scopes: scopes.optional(),
  addresses: addresses.optional(),
  expiresAt: moment.nullish(),
});

export const publicApiKey = z.object({
  id: z.string(),
  name: z.string(),
  start: z.string(),
  scopes: z.array(z.string()),
  addresses: z.array(z.string()),
  expiresAt: timestamp.optional(),
  lastUsedAt: timestamp.optional(),
  lastUsedIp: z.string().optional(),
  createdAt: timestamp,
}).meta({ id: "ApiKey" });

/** The answer to the creation alone holds the key itself. */
export const createdApiKey = publicApiKey.extend({ key: z.string() }).meta({ id: "CreatedApiKey" });

export const apiKeyListQuery = listQuery(apiKeys, { hidden: ["userId"] });
