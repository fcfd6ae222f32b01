// How the console's requests leave: in its language, with errors that are told alike in every variant, and once more after
// a proof of who one is, where the server asks for that.
import { signal } from "@preact/signals";
import { language, translated } from "./language.ts";

/** What shows a person the question who they are. */
export interface ProofAsked {
  /** Call once: with true when the server has taken a proof. */
  answer(proven: boolean): void;
}

/** Set while the server waits for a proof of who one is; the frame shows the question. */
export const proofAsked = signal<ProofAsked | null>(null);

/** Whether the server asks for a second factor before anything else. */
export const secondFactorAsked = signal(false);

/** Problem details (RFC 9457) have a code in every variant; the rest is as it would be without. */
const ACCEPT = "application/problem+json, application/json;q=0.9, */*;q=0.8";

const texts = translated({
  en: {
    notProven: "Nothing was changed: you have not confirmed that it is you.",
    away: "The server cannot be reached. Check the connection, and try again.",
  },
  zh: {
    notProven: "未做任何更改：您没有确认本人身份。",
    away: "无法连接服务器。请检查网络连接后重试。",
  },
});

export interface TransportOptions {
  /** @default the browser's */
  readonly fetch?: typeof fetch;
  /** Whether the person could prove who they are: who acts as somebody else cannot. */
  readonly mayProve: () => boolean;
  /** Told the permission for lack of which the server refuses something. */
  readonly onMissing?: (permission: string) => void;
}

/** What sends the requests of the console. */
export function createTransport(
  { fetch = (input, init) => globalThis.fetch(input, init), mayProve, onMissing }: TransportOptions,
): typeof globalThis.fetch {
  const send = (request: Request) => fetch(request, untilEnded(request)).catch(inWords);
  return async (input, init) => {
    const request = new Request(input, init);
    if (!request.headers.has("accept")) request.headers.set("accept", ACCEPT);
    request.headers.set("accept-language", language.peek());
    // Of an upload no second copy is kept: none needs a proof.
    const again = isForm(request) ? null : request.clone();
    const response = await send(request);
    const { code, missing } = response.status === 403 ? await refusedBy(response) : ALLOWED;
    if (missing) onMissing?.(missing);
    if (code === "MFA_REQUIRED") secondFactorAsked.value = true;
    if (code === "STEP_UP_REQUIRED" && again && mayProve()) {
      return await askProof() ? await send(again) : refusal(response);
    }
    // Otherwise its body would wait in memory to be read.
    await again?.body?.cancel();
    return response;
  };
}

let readings = new AbortController();

/** Ends what is being read, and lets nothing be read before the work is done. What is being written goes on. */
export async function withoutReadings(work: () => Promise<void>): Promise<void> {
  readings.abort();
  try {
    await work();
  } finally {
    readings = new AbortController();
  }
}

function untilEnded({ method, signal }: Request): RequestInit {
  return method === "GET" ? { signal: AbortSignal.any([signal, readings.signal]) } : {};
}

/** What browsers say where no answer came is not for people. */
function inWords(cause: unknown): never {
  if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
  throw new TypeError(texts().away, { cause });
}

function isForm({ headers }: Request): boolean {
  return headers.get("content-type")?.startsWith("multipart/") ?? false;
}

interface Refused {
  readonly code?: string;
  /** The permission that was missing. */
  readonly missing?: string;
}

const ALLOWED: Refused = {};

/** Why something is refused; the answer can still be read. */
async function refusedBy(response: Response): Promise<Refused> {
  const body: unknown = await response.clone().json().catch(() => null);
  const { code, error, errors } = (body ?? {}) as {
    code?: string;
    error?: { code?: string };
    errors?: { code: string; message: string }[];
  };
  const missing = errors?.find((one) => one.code === "missing_permission")?.message;
  return { code: code ?? error?.code, missing };
}

let asked: Promise<boolean> | null = null;

/** Asks once for all requests that wait for it. @returns Whether a proof was given. */
export function askProof(): Promise<boolean> {
  return asked ??= new Promise<boolean>((resolve) => {
    proofAsked.value = {
      answer(proven) {
        proofAsked.value = null;
        asked = null;
        resolve(proven);
      },
    };
  });
}

/** The answer to a request whose proof was not given, in words for people. */
function refusal({ headers, status }: Response): Response {
  const body = { code: "STEP_UP_REQUIRED", status, detail: texts().notProven };
  const id = headers.get("x-request-id");
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/problem+json", ...(id ? { "x-request-id": id } : {}) },
  });
}
