// The URLs that webhooks may have.
import { isIP } from "node:net";
import { isPublicAddress } from "../../core/public_addresses.ts";

/**
 * What is wrong with an address, as far as it tells by itself; null when nothing is. Hosts are looked up when they are
 * called: what a name leads to may change.
 */
export function urlProblem(text: string, allowPrivate: boolean): string | null {
  const url = URL.parse(text);
  const schemes = allowPrivate ? ["https:", "http:"] : ["https:"];
  if (!url || !schemes.includes(url.protocol)) {
    return "must be a URL such as https://example.com/hook";
  }
  if (url.username || url.password) return "must hold no user and password";
  const host = hostIn(url);
  const local = /(^|\.)(localhost|local|internal)\.?$/.test(host);
  if (!allowPrivate && (local || isIP(host) > 0 && !isPublicAddress(host))) {
    return "must not lead into a private network";
  }
  return null;
}

/** The host of a URL, an IPv6 address without its brackets. */
export function hostIn({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}
