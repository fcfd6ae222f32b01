// Keys of requests that are to be done once, however often they are sent: whoever hears no answer sends them again
// (Idempotency-Key).
import { useRef } from "preact/hooks";

/** 128 random bits. `crypto.randomUUID` is for secure origins alone, and a server at home has none. */
export function requestKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @returns Gives the key of a request with a body: the same for as long as the body is the same. */
export function useRequestKey(): (body: unknown) => string {
  const last = useRef({ text: "", key: "" });
  return (body) => {
    const text = JSON.stringify(body);
    if (last.current.text !== text) last.current = { text, key: requestKey() };
    return last.current.key;
  };
}
