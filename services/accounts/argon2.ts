// Argon2id (RFC 9106): by WebCrypto, off the event loop, where the runtime has it; else by WebAssembly.

/** https://wicg.github.io/webcrypto-modern-algos/#argon2-params */
interface WebCryptoArgon2 extends Algorithm {
  readonly nonce: Uint8Array<ArrayBuffer>;
  readonly parallelism: number;
  /** KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly version: number;
}

export interface Argon2Options {
  readonly salt: Uint8Array<ArrayBuffer>;
  /** KiB. */
  readonly memory: number;
  readonly passes: number;
  /** Lanes. */
  readonly parallelism: number;
}

/** RFC 9106: version 1.3, the only one in use. */
export const ARGON2_VERSION = 0x13;

type Derive = (
  password: Uint8Array<ArrayBuffer>,
  options: Argon2Options,
  bytes: number,
) => Promise<Uint8Array>;

let chosen: Promise<Derive> | undefined;

/**
 * The key of a password.
 *
 * @param bytes Length of the key.
 */
export async function argon2id(...[password, options, bytes]: Parameters<Derive>) {
  const derive = await (chosen ??= choose());
  return await derive(password, options, bytes);
}

/** WebCrypto has Argon2id from Deno 2.9 on; Deno Deploy's documented runtime is 2.5. */
async function choose(): Promise<Derive> {
  try {
    await importKey(new Uint8Array(8));
    return byWebCrypto;
  } catch {
    return byWebAssembly;
  }
}

function importKey(password: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw-secret", password, "Argon2id", false, ["deriveBits"]);
}

const byWebCrypto: Derive = async (password, { salt: nonce, ...cost }, bytes) => {
  const algorithm: WebCryptoArgon2 = { name: "Argon2id", nonce, version: ARGON2_VERSION, ...cost };
  return new Uint8Array(
    await crypto.subtle.deriveBits(algorithm, await importKey(password), bytes * 8),
  );
};

/** Blocks the event loop for some 40 ms per password: used only where the runtime has no Argon2id. */
export const byWebAssembly: Derive = async (password, options, bytes) => {
  const wasm = await import("hash-wasm");
  return await wasm.argon2id({
    password,
    salt: options.salt,
    memorySize: options.memory,
    iterations: options.passes,
    parallelism: options.parallelism,
    hashLength: bytes,
    outputType: "binary",
  });
};
