// The chain over the audit log: links, each with the hash of the one before, and words on it that this server signs.
import {
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import type { AuditCheckpoint, AuditLink, AuditRecord } from "../../models/audit.ts";
import { digestOf, hashOf } from "./entries.ts";

const LINK_FORM = "quarterdeck audit link 1";
const CHECKPOINT_FORM = "quarterdeck audit checkpoint 1";

/** What comes before the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410, section 7). */
const PKCS8 = Uint8Array.fromHex("302e020100300506032b657004220420");

type Content<T> = Omit<T, "id" | "createdAt" | "updatedAt" | "rev">;

/** A place in the chain. */
export type Place = Pick<AuditLink, "seq" | "hash">;

/** Before the first link. */
export const START: Place = { seq: 0, hash: "" };

/** How an entry stands in a link. An entry that is gone already has neither time nor digest. */
export function lineOf(id: string, entry: AuditRecord | null): string {
  // Joined it is one piece of text: put together otherwise V8 keeps it in seven, until the link is written.
  return entry === null ? id : [id, entry.createdAt, digestOf(entry)].join(" ");
}

/** The link that comes after a place. */
export function linkAfter(
  { seq, hash }: Place,
  entries: readonly string[],
  note?: AuditLink["note"],
): Content<AuditLink> {
  const link = { seq: seq + 1, previous: hash, entries: [...entries], note };
  return { ...link, hash: hashOfLink(link) };
}

export function hashOfLink(
  { seq, previous, entries, note }: Omit<Content<AuditLink>, "hash">,
): string {
  return hashOf([LINK_FORM, seq, previous, note ?? null, entries]);
}

type Word = Omit<Content<AuditCheckpoint>, "signature">;

/** Signs by the first of its keys, and knows the signatures of all. */
export class Notary {
  readonly #private: KeyObject;
  readonly #public: readonly KeyObject[];

  /** @param secrets Texts with at least 128 random bits: the newest first, then those that it had before. */
  constructor(secrets: readonly string[]) {
    const keys = secrets.map(keyFrom);
    this.#private = keys[0]!;
    this.#public = keys.map((key) => createPublicKey(key));
  }

  /** The public part of the newest key, in base64url. */
  get publicKey(): string {
    return String(this.#public[0]!.export({ format: "jwk" }).x);
  }

  signed(word: Word): Content<AuditCheckpoint> {
    const signature = new Uint8Array(sign(null, bytesOf(word), this.#private));
    return { ...word, signature: signature.toBase64({ alphabet: "base64url", omitPadding: true }) };
  }

  isSigned({ signature, ...word }: Content<AuditCheckpoint>): boolean {
    try {
      const bytes = Uint8Array.fromBase64(signature, { alphabet: "base64url" });
      return this.#public.some((key) => verify(null, bytesOf(word), key, bytes));
    } catch {
      return false;
    }
  }
}

/** The key of a secret: Ed25519 takes any 32 random bytes (RFC 8032, section 5.1.5), here from HKDF (RFC 5869). */
function keyFrom(secret: string): KeyObject {
  const seed = new Uint8Array(hkdfSync("sha256", secret, "", "checkpoints of the audit log", 32));
  const key = new Uint8Array([...PKCS8, ...seed]);
  // deno-lint-ignore no-explicit-any -- Node takes any view of bytes; its type names Buffer alone
  return createPrivateKey({ key: key as any, format: "der", type: "pkcs8" });
}

function bytesOf({ kind, seq, hash, at, before }: Word): Uint8Array {
  const values = [CHECKPOINT_FORM, kind, seq, hash, at, before ?? null];
  return new TextEncoder().encode(JSON.stringify(values));
}
