// Passkeys in the browser: what the server asks of Web Authentication and what the browser answers, as JSON. By hand, for
// browsers of the last two years do not all have `parseRequestOptionsFromJSON`.
import type {
  CreatePasskeyRequest,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
  SignInByPasskeyRequest,
} from "../../client/mod.ts";

type NewCredential = CreatePasskeyRequest["credential"];
type UsedCredential = SignInByPasskeyRequest["credential"];

/** Whether this browser, at this address, has passkeys: they need a secure context. */
export const hasPasskeys = typeof globalThis.PublicKeyCredential === "function" &&
  globalThis.isSecureContext;

/** Whether the browser offers passkeys among the names that it fills in. */
export async function offersPasskeys(): Promise<boolean> {
  if (!hasPasskeys) return false;
  return await PublicKeyCredential.isConditionalMediationAvailable?.() ?? false;
}

/** @throws {DOMException} NotAllowedError where the person closes it; InvalidStateError where there is one already. */
export async function makePasskey(options: PasskeyCreationOptions): Promise<NewCredential> {
  const publicKey = {
    ...options,
    challenge: bytesOf(options.challenge),
    user: { ...options.user, id: bytesOf(options.user.id) },
    excludeCredentials: options.excludeCredentials?.map(described),
  } as PublicKeyCredentialCreationOptions;
  const made = await navigator.credentials.create({ publicKey }) as PublicKeyCredential;
  const response = made.response as AuthenticatorAttestationResponse;
  return {
    ...named(made),
    response: {
      clientDataJSON: textOf(response.clientDataJSON),
      attestationObject: textOf(response.attestationObject),
      transports: response.getTransports?.() ?? [],
    },
  };
}

export interface UseOptions {
  /** Offers passkeys where a name is filled in, in place of asking at once. */
  readonly conditional?: boolean;
  readonly signal?: AbortSignal;
}

/** @throws {DOMException} NotAllowedError where the person closes it; AbortError by the signal. */
export async function usePasskey(
  options: PasskeyRequestOptions,
  { conditional = false, signal }: UseOptions = {},
): Promise<UsedCredential> {
  const publicKey = {
    ...options,
    challenge: bytesOf(options.challenge),
    allowCredentials: options.allowCredentials?.map(described),
  } as PublicKeyCredentialRequestOptions;
  const used = await navigator.credentials.get({
    publicKey,
    signal,
    ...(conditional ? { mediation: "conditional" as const } : {}),
  }) as PublicKeyCredential;
  const response = used.response as AuthenticatorAssertionResponse;
  return {
    ...named(used),
    response: {
      clientDataJSON: textOf(response.clientDataJSON),
      authenticatorData: textOf(response.authenticatorData),
      signature: textOf(response.signature),
      userHandle: response.userHandle ? textOf(response.userHandle) : null,
    },
  };
}

/** Whether a person has closed the browser's question, or let it pass: nothing to be told of. */
export function isCancelled(error: unknown): boolean {
  return error instanceof DOMException && ["NotAllowedError", "AbortError"].includes(error.name);
}

function named({ id, rawId, authenticatorAttachment }: PublicKeyCredential) {
  return { id, rawId: textOf(rawId), type: "public-key" as const, authenticatorAttachment };
}

function described({ id, ...rest }: { readonly id: string }) {
  return { ...rest, id: bytesOf(id) };
}

/** @param text base64url (RFC 4648 section 5) */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** @returns base64url without padding */
export function textOf(bytes: ArrayBuffer | Uint8Array<ArrayBuffer>): string {
  const binary = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
