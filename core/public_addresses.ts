// Which addresses lie on the public Internet: what a server may be asked to call, by people who must not reach through
// it into the network that it stands in (OWASP, Server-Side Request Forgery Prevention).
import { isIP } from "node:net";
import { blocksOf, isWithin, parseAddress } from "./addresses.ts";

/** IPv4 blocks that are not globally reachable (IANA IPv4 Special-Purpose Address Registry), multicast, and reserved. */
const SPECIAL_V4 = blocksOf([
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  // Link-local, and with it the metadata services of clouds: 169.254.169.254.
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
]);

/** All that is allocated to be global unicast (RFC 4291 section 2.4, IANA): loopback, ULA, link-local lie outside. */
const GLOBAL_V6 = blocksOf(["2000::/3"]);

/**
 * Blocks within it that are not globally reachable, or lead on to an IPv4 address that they hold: Teredo, 6to4. (NAT64,
 * 64:ff9b::/96, lies outside.) IANA IPv6 Special-Purpose Address Registry.
 */
const SPECIAL_V6 = blocksOf([
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "2620:4f:8000::/48",
  "3fff::/20",
]);

/** @param text An address, in any form that `parseAddress` takes. False for what is no address. */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === null) return false;
  if (isIP(address) === 4) return !isWithin(SPECIAL_V4, address);
  return isWithin(GLOBAL_V6, address) && !isWithin(SPECIAL_V6, address);
}
