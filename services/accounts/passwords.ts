// Passwords: hashed by Argon2id. Which ones are refused, and how they are stored.
import { timingSafeEqual } from "node:crypto";
import { password as passwordRule } from "../../models/passwords.ts";
import { ARGON2_VERSION, argon2id, type Argon2Options } from "./argon2.ts";
import { pacer } from "./pace.ts";
import { semaphore } from "../../core/semaphore.ts";

interface StoredHash extends Argon2Options {
  readonly hash: Uint8Array<ArrayBuffer>;
}

/**
 * What a new hash costs. OWASP Password Storage Cheat Sheet: 19 MiB, 2 passes, 1 lane. Sizes: RFC 9106 section 3.1. Only
 * tests of other things, which sign in thousands of times, make it less.
 */
export const COST = { memory: 19456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** How many of the most common passwords are refused. */
const COMMON = 10_000;

/** What an account without a usable hash is verified against: the same work, and no password fits. */
const DUMMY = { salt: new Uint8Array(SALT_BYTES), hash: new Uint8Array(HASH_BYTES) };

/** A PHC string with a fresh salt: `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
  const hash = await derive(password, { ...COST, salt }, HASH_BYTES);
  return `$argon2id$v=${ARGON2_VERSION}$${parameters(COST)}$${encode(salt)}$${encode(hash)}`;
}

/**
 * Whether the password fits the PHC string. Without a hash, or with one that cannot be read, it does the same work
 * and answers false: the time tells nobody whether an account exists.
 */
export async function verifyPassword(password: string, phc: string | undefined): Promise<boolean> {
  const stored = phc === undefined ? null : parse(phc);
  const { hash, ...options } = stored ?? { ...COST, ...DUMMY };
  const derived = await derive(password, options, hash.length);
  return timingSafeEqual(derived, hash) && stored !== null;
}

/** Whether a hash was made with other parameters than new ones are, or cannot be read. */
export function needsRehash(phc: string): boolean {
  const stored = parse(phc);
  return stored === null || parameters(stored) !== parameters(COST) ||
    stored.salt.length !== SALT_BYTES || stored.hash.length !== HASH_BYTES;
}

/** What is wrong with a password that someone wants to set; null when nothing is. */
export async function checkNewPassword(password: string): Promise<string | null> {
  const result = passwordRule.safeParse(password);
  if (!result.success) return result.error.issues[0]?.message ?? "must be a password";
  common ??= loadCommon();
  return (await common).has(normalise(password).toLowerCase())
    ? "must not be one of the 10,000 most common passwords"
    : null;
}

/** 96 random bits, in characters that a double click selects. */
export function generatePassword(): string {
  return crypto.getRandomValues(new Uint8Array(12)).toHex();
}

let common: Promise<ReadonlySet<string>> | undefined;

/**
 * Loaded at the first new password: reading the list takes 15 ms, which a start need not wait for. In what the package exports
 * it is compressed, and takes twice as long.
 */
async function loadCommon(): Promise<ReadonlySet<string>> {
  const { default: passwords } = await import("@zxcvbn-ts/language-common/src/passwords.json", {
    with: { type: "json" },
  });
  return new Set(passwords.slice(0, COMMON));
}

/** The same password typed on two keyboards may come in two Unicode forms (NIST SP 800-63B section 3.1.1.2). */
function normalise(password: string): string {
  return password.normalize("NFKC");
}

function parameters(options: Pick<StoredHash, "memory" | "passes" | "parallelism">): string {
  return `m=${options.memory},t=${options.passes},p=${options.parallelism}`;
}

function encode(bytes: Uint8Array): string {
  return bytes.toBase64({ omitPadding: true });
}

const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/;

function parse(phc: string): StoredHash | null {
  const [, memory, passes, parallelism, salt, hash] = PHC.exec(phc) ?? [];
  if (salt === undefined || hash === undefined) return null;
  const options = {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  };
  // RFC 9106 section 3.1: at least 8 KiB a lane.
  if (options.passes < 1 || options.parallelism < 1) return null;
  if (options.memory < 8 * options.parallelism) return null;
  try {
    return { ...options, salt: Uint8Array.fromBase64(salt), hash: Uint8Array.fromBase64(hash) };
  } catch {
    return null;
  }
}

async function derive(
  password: string,
  options: Argon2Options,
  bytes: number,
): Promise<Uint8Array> {
  const text = new TextEncoder().encode(normalise(password));
  const work = () => argon2id(text, options, bytes);
  return await limited(() => paced(options.memory * options.passes, work));
}

/**
 * Derivations at a time: one a core. Each fills its own 19 MiB, so more than that thrash the processor's caches:
 * on two cores 32 at a time gave 28 a second and stalls of 200 ms, two at a time 69 and stalls of 8 ms.
 */
const limited = semaphore(navigator.hardwareConcurrency);

/** So that a wave of sign-ins leaves other requests at least half of the processor. */
const paced = pacer();
