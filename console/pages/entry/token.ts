// The token of a mailed link: it stays out of the address, which is seen by others and remembered by the browser.
import { useState } from "preact/hooks";
import { ApiError } from "../../../client/mod.ts";
import { texts } from "./texts.ts";

/** @returns The token of the link; empty where it has none. It is there again after the page was loaded anew. */
export function useToken(): string {
  const [token] = useState(takeToken);
  return token;
}

function takeToken(): string {
  const given = new URLSearchParams(location.search).get("token");
  const kept = (history.state as { token?: unknown } | null)?.token;
  if (given === null) return typeof kept === "string" ? kept : "";
  history.replaceState({ token: given }, "", location.pathname);
  return given;
}

/** What is sent with a token. @throws {Error} in words for people, where the token is good no more. */
export async function byToken(send: () => Promise<unknown>): Promise<void> {
  try {
    await send();
  } catch (error) {
    const spent = error instanceof ApiError && error.problemOf("token") !== undefined;
    throw spent ? new Error(texts().link.spent) : error;
  }
}
