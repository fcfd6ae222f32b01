// An authenticator for tests (Web Authentication, W3C): what it answers is right unless it is told to answer wrongly.
import { Buffer } from "node:buffer";
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isoCBOR } from "@simplewebauthn/server/helpers";
import type { NewCredential, UsedCredential } from "../models/passkeys.ts";

/** What browsers give to an authenticator of the server's options. */
interface Options {
  readonly challenge: string;
  readonly rp?: { readonly id: string };
  readonly rpId?: string;
  readonly user?: { readonly id: string };
}

/** What it answers in place of what is right. */
export interface Answering {
  /** @default http://localhost:8000 */
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  /** @default as the ceremony has it */
  readonly type?: string;
  readonly crossOrigin?: boolean;
  /** Whether the user was asked for a PIN or a finger. @default true */
  readonly verified?: boolean;
  /** @default one more than before */
  readonly signCount?: number;
  readonly userHandle?: string | null;
  /** Gives a statement of what made the key. @default none */
  readonly attestation?: (made: Made) => Attestation;
}

interface Attestation {
  readonly fmt: string;
  readonly attStmt: Map<string, unknown>;
}

/** What attestations are about. */
interface Made {
  readonly authData: Uint8Array;
  readonly clientDataHash: Uint8Array;
  readonly credentialId: Uint8Array;
  /** The public key, uncompressed (SEC 1). */
  readonly point: Uint8Array;
  /** Signs with the key that was made. */
  sign(bytes: Uint8Array): Uint8Array;
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const ATTESTED = 0x40;

export class Authenticator {
  readonly #key = generateKeyPairSync("ec", { namedCurve: "P-256" });
  readonly id: string;
  #signCount = 0;
  #userHandle = "bm9ib2R5";

  /**
   * @param id Of the credential, in base64url.
   * @param padding Bytes that the public key has beyond what it needs.
   */
  constructor(id = randomBytes(32).toString("base64url"), private readonly padding = 0) {
    this.id = id;
  }

  /** The answer to the options of a registration. */
  make(options: Options, answering: Answering = {}): NewCredential {
    this.#userHandle = options.user?.id ?? this.#userHandle;
    const clientDataJSON = clientData("webauthn.create", options, answering);
    const authData = this.#data(answering.rpId ?? options.rp?.id ?? "", ATTESTED, answering);
    const { attestation: attest = () => ({ fmt: "none", attStmt: new Map() }) } = answering;
    const { fmt, attStmt } = attest({
      authData,
      clientDataHash: sha256(Buffer.from(clientDataJSON, "base64url")),
      credentialId: Buffer.from(this.id, "base64url"),
      point: Buffer.concat([Buffer.of(4), ...this.#point()]),
      sign: (bytes) => new Uint8Array(sign("sha256", bytes, this.#key.privateKey)),
    });
    const attestation = new Map<string, unknown>([
      ["fmt", fmt],
      ["attStmt", attStmt],
      ["authData", authData],
    ]);
    return {
      ...this.#credential(),
      response: {
        clientDataJSON,
        // deno-lint-ignore no-explicit-any -- the library names no type of what it encodes
        attestationObject: base64url(isoCBOR.encode(attestation as any)),
        transports: ["internal"],
      },
    };
  }

  /** What a server stores of a passkey for the user of the options. */
  keys(options: Options): { credentialId: string; publicKey: string } {
    this.#userHandle = options.user?.id ?? this.#userHandle;
    return { credentialId: this.id, publicKey: base64url(this.#publicKey()) };
  }

  /** The answer to the options of a sign-in. */
  use(options: Options, answering: Answering = {}): UsedCredential {
    const { userHandle = this.#userHandle } = answering;
    const clientDataJSON = clientData("webauthn.get", options, answering);
    const data = this.#data(answering.rpId ?? options.rpId ?? "", 0, answering);
    const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, "base64url"))]);
    return {
      ...this.#credential(),
      response: {
        clientDataJSON,
        authenticatorData: base64url(data),
        signature: base64url(sign("sha256", signed, this.#key.privateKey)),
        userHandle,
      },
    };
  }

  #credential() {
    return { id: this.id, rawId: this.id, type: "public-key" as const, clientExtensionResults: {} };
  }

  /** Authenticator data, section 6.1. */
  #data(rpId: string, flags: number, { verified = true, signCount }: Answering): Uint8Array {
    this.#signCount = signCount ?? this.#signCount + 1;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.#signCount);
    const present = flags | USER_PRESENT | (verified ? USER_VERIFIED : 0);
    const head = [sha256(Buffer.from(rpId)), Buffer.of(present), count];
    return new Uint8Array(Buffer.concat(flags & ATTESTED ? [...head, this.#attested()] : head));
  }

  #attested(): Uint8Array {
    const id = Buffer.from(this.id, "base64url");
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    return Buffer.concat([Buffer.alloc(16), length, id, this.#publicKey()]);
  }

  #point(): Uint8Array[] {
    const { x = "", y = "" } = this.#key.publicKey.export({ format: "jwk" });
    return [x, y].map((part) => new Uint8Array(Buffer.from(part, "base64url")));
  }

  /** A COSE key (RFC 9052): key type EC2, ES256, P-256, and the point. */
  #publicKey(): Uint8Array {
    const [x, y] = this.#point();
    const key = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, x!],
      [-3, y!],
    ]);
    if (this.padding > 0) key.set(-65537, new Uint8Array(this.padding));
    return isoCBOR.encode(key);
  }
}

function clientData(type: string, options: Options, answering: Answering): string {
  const { origin = "http://localhost:8000", challenge = options.challenge, crossOrigin = false } =
    answering;
  const data = { type: answering.type ?? type, challenge, origin, crossOrigin };
  return Buffer.from(JSON.stringify(data)).toString("base64url");
}

function sha256(bytes: Uint8Array): Uint8Array {
  return createHash("sha256").update(bytes).digest();
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}
