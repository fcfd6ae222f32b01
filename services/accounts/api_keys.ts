// API keys: how they are made and known again, and what they open.
import { crc32 } from "node:zlib";
import type { BlockList } from "node:net";
import { andThen, type Awaitable } from "../../core/awaitable.ts";
import { blocksOf, isWithin } from "../../core/addresses.ts";
import { ApiError } from "../../core/errors.ts";
import { sha256 } from "../../core/hashing.ts";
import { MIB } from "../../core/units.ts";
import { type ApiKey, apiKeys } from "../../models/api_keys.ts";
import { type Role, roles } from "../../models/roles.ts";
import { users } from "../../models/users.ts";
import { remembering } from "../../storage/memory/remembered.ts";
import type { Store } from "../../storage/port.ts";
import { effectivePermissions, matches, permits, type Principal } from "../access/access.ts";

type Source = Pick<Store, "from">;

/** Tells scanners of sources and logs what it is. */
const PREFIX = "qd_";
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 178 random bits: a plain hash protects them (ASVS 5.0, 6.5.2). */
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const FORM = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);
/** Characters that are shown of a key in lists. */
const START_LENGTH = PREFIX.length + 5;
/** The largest multiple of 62 that a byte can hold: bytes from it on would make some characters likelier. */
const UNBIASED = 248;

/** A new key, and what is stored of it. */
export function newApiKey(): { key: string; keyHash: string; start: string } {
  let random = "";
  while (random.length < RANDOM_LENGTH) {
    for (const byte of crypto.getRandomValues(new Uint8Array(RANDOM_LENGTH))) {
      if (byte < UNBIASED && random.length < RANDOM_LENGTH) random += BASE62[byte % 62];
    }
  }
  const key = PREFIX + random + checksum(random);
  return { key, keyHash: sha256(key), start: key.slice(0, START_LENGTH) };
}

/** CRC32 in base62: tells a scanner a key from what only looks like one, without asking the server. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let n = 0; n < CHECKSUM_LENGTH; n++) {
    digits = BASE62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** Whether a credential is an API key rather than an access token. */
export function isApiKey(credential: string): boolean {
  return credential.startsWith(PREFIX);
}

function isWellFormed(key: string): boolean {
  if (!FORM.test(key)) return false;
  const random = key.slice(PREFIX.length, -CHECKSUM_LENGTH);
  return key.endsWith(checksum(random));
}

/** By key: records are shared with the store's own memory, so that a caller takes little beside. */
const principals = remembering<Principal | null>([apiKeys, users, roles], {
  maxBytes: 4 * MIB,
  bytesOf: (principal) => principal ? 500 : Infinity,
});

/**
 * The caller that a key stands for; null when it is none, was revoked, or its user is not active.
 *
 * @throws {ApiError} UNAUTHORIZED for one that has expired, FORBIDDEN from an address that it is not for.
 */
export function principalOfKey(
  source: Source,
  key: string,
  { now, ip }: { now: string; ip: string },
): Awaitable<Principal | null> {
  const found = principals(source).through(key, () => holderOf(source, key));
  return andThen(found, (principal) => {
    if (principal) assertUsable(principal.key!, now, ip);
    return principal;
  });
}

/** Of a key that is none the store is not asked. */
function holderOf(source: Source, key: string): Awaitable<Principal | null> {
  if (!isWellFormed(key)) return null;
  return andThen(
    source.from(apiKeys).findBy("key", sha256(key)),
    (record) => record && principalOf(source, record),
  );
}

/** The caller as a plan sees them: its commit fails when the key, its user or their role has changed. */
export function keyPrincipalInPlan(source: Source, key: ApiKey): Awaitable<Principal | null> {
  return andThen(
    source.from(apiKeys).get(key.id),
    (record) => record && principalOf(source, record),
  );
}

function principalOf(source: Source, key: ApiKey): Awaitable<Principal | null> {
  return andThen(source.from(users).get(key.userId), (user) => {
    if (user?.status !== "active") return null;
    return andThen(source.from(roles).findBy("name", user.role), (role: Role | null) => {
      const permissions = openedBy(key.scopes, effectivePermissions(user, role));
      return { user, role, session: null, key, permissions };
    });
  });
}

/** What the scopes of a key open of what its user holds now. */
export function openedBy(scopes: readonly string[], held: readonly string[]): readonly string[] {
  const whole = scopes.filter((scope) => permits(held, scope));
  const parts = held.filter((permission) => scopes.some((scope) => matches(scope, permission)));
  return [...new Set([...whole, ...parts])];
}

/** @throws {ApiError} UNAUTHORIZED for a key that has expired, FORBIDDEN from an address that it is not for. */
export function assertUsable(key: ApiKey, now: string, ip: string): void {
  if (key.expiresAt !== undefined && key.expiresAt <= now) {
    throw new ApiError("UNAUTHORIZED", `The API key '${key.name}' has expired`);
  }
  if (key.addresses.length > 0 && !isWithin(allowedOf(key), ip)) {
    throw new ApiError("FORBIDDEN", `The API key '${key.name}' is not for this address`);
  }
}

const allowed = new WeakMap<ApiKey, BlockList>();

/** The addresses of a key; remembered for as long as its record lives. */
function allowedOf(key: ApiKey): BlockList {
  const known = allowed.get(key);
  if (known) return known;
  const list = blocksOf(key.addresses);
  allowed.set(key, list);
  return list;
}
