// What is asked of a provider over the network: bounded in time and in bytes, and told apart from what it answers.
import { KIB, SECOND } from "../../core/units.ts";

/** Bytes of an answer at most: tokens, keys and metadata take a few thousand. */
const MAX_ANSWER = 512 * KIB;
/** Milliseconds for one request. */
export const DEADLINE = 5 * SECOND;

/** The provider does not answer, or says that it cannot at present. */
export class ProviderDown extends Error {
  override readonly name = "ProviderDown";
}

/** Whether a provider that is down is what an error of the library came from. */
export function isDown(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ProviderDown) return true;
  }
  return false;
}

/** What the library calls in place of `fetch`. @throws {ProviderDown} */
export function fetchWithin(deadline: number) {
  return async function fetchFromProvider(url: string, options: object): Promise<Response> {
    try {
      const signal = AbortSignal.timeout(deadline);
      const response = await fetch(url, { ...options, signal });
      const bytes = await bytesOf(response);
      const { status, headers } = response;
      if (status >= 500 || status === 429) throw new ProviderDown(`It answers with ${status}`);
      return new Response(bytes.length > 0 ? bytes : null, { status, headers });
    } catch (error) {
      if (error instanceof ProviderDown) throw error;
      throw new ProviderDown(error instanceof Error ? error.message : String(error), {
        cause: error,
      });
    }
  };
}

async function bytesOf({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > MAX_ANSWER) {
      throw new ProviderDown(`It answers with more than ${MAX_ANSWER} bytes`);
    }
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
