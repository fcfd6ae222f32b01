// The client's address: forwarded ones count only when a trusted proxy gives them.
import { getLogger } from "@logtape/logtape";
import type { Context } from "hono";
import { blocksOf, isPrivate, isWithin, parseAddress } from "../core/addresses.ts";
import type { Bindings } from "../http/exchange.ts";

export interface ClientAddresses {
  addressOf(c: Context): string;
  /** @param info What Deno.serve tells of the connection. */
  addressFrom(request: Request, info: unknown): string;
  /** True for an address behind which a proxy was seen that TRUSTED_PROXIES does not name: many share it. */
  isShared(address: string): boolean;
}

const log = getLogger(["quarterdeck", "http"]);

const FORWARDED_FOR = "x-forwarded-for";
/** Proxies that are remembered at most. */
const MAX_UNNAMED = 1000;

/** @param trustedProxies Addresses and blocks. */
export function clientAddresses(trustedProxies: readonly string[]): ClientAddresses {
  const trusted = blocksOf(trustedProxies);
  const unnamed = new Set<string>();

  /** On the Internet anyone may send the header; on a private network whoever does is a proxy. */
  function noticeProxy(peer: string, forwarded: string | null): void {
    if (forwarded === null || unnamed.has(peer) || unnamed.size >= MAX_UNNAMED) return;
    if (!isPrivate(peer)) return;
    unnamed.add(peer);
    log.warning(
      "{peer} forwards requests for others, but TRUSTED_PROXIES does not name it: rate limits and sessions take " +
        "all of its clients for one. If it is your proxy, set TRUSTED_PROXIES={peer}",
      { peer },
    );
  }

  const isTrusted = (peer: string) => trustedProxies.length > 0 && isWithin(trusted, peer);

  /** From the nearest hop outwards, the first address that is not a proxy of ours. */
  function forwardedBy(peer: string, forwarded: string): string {
    let address = peer;
    for (const hop of forwarded.split(",").reverse()) {
      const given = parseAddress(hop);
      if (given === null) break;
      address = given;
      if (!isWithin(trusted, given)) break;
    }
    return address;
  }

  function addressFrom(request: Request, info: unknown): string {
    const peer = peerAddress(info);
    if (!isTrusted(peer)) return peer;
    return forwardedBy(peer, request.headers.get(FORWARDED_FOR) ?? "");
  }

  return {
    isShared: (address) => unnamed.has(address),
    addressOf(c) {
      const { info } = c.env as Bindings;
      const peer = peerAddress(info);
      if (!isTrusted(peer)) noticeProxy(peer, c.req.raw.headers.get(FORWARDED_FOR));
      return addressFrom(c.req.raw, info);
    },
    addressFrom,
  };
}

function peerAddress(info: unknown): string {
  const known = info as Partial<Deno.ServeHandlerInfo<Deno.NetAddr>> | undefined;
  const address = known?.remoteAddr?.hostname ?? "127.0.0.1";
  // What Deno gives is one form of an address already, but for IPv4 that comes in by a socket for IPv6.
  return address.startsWith("::ffff:") ? parseAddress(address) ?? address : address;
}
