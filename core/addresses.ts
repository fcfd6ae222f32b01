// IP addresses: how they are written, which network a client holds, and which ones are private.
import { BlockList, isIP } from "node:net";

/** `[2001:db8::1]:443` and `192.0.2.1:443`: proxies add ports (RFC 7239 section 6). */
const IN_BRACKETS = /^\[([^\]]+)\](?::\d{1,5})?$/;
const BEFORE_PORT = /^(\d+\.\d+\.\d+\.\d+):\d{1,5}$/;
/** A zone means something on one machine alone (RFC 4007 section 11). */
const ZONE = /%.*$/;

/**
 * An address without port, brackets and zone, in lower case; an IPv4 address in the form of IPv6 becomes plain IPv4
 * (RFC 4291 section 2.5.5.2). Null for what is no address.
 */
export function parseAddress(text: string): string | null {
  const trimmed = text.trim();
  const bare = IN_BRACKETS.exec(trimmed)?.[1] ?? BEFORE_PORT.exec(trimmed)?.[1] ?? trimmed;
  const address = bare.replace(ZONE, "").toLowerCase();
  const family = isIP(address);
  if (family === 0) return null;
  return family === 6 ? mappedIPv4(groupsOf(address)) ?? address : address;
}

/**
 * The networks that a client may hold whole, the smallest first: an IPv4 address; of IPv6 the /64 that every client
 * has for itself (RFC 8981) and the /48 that one site may have (RFC 6177 section 2).
 *
 * @param address As `parseAddress` gives it; anything else is a network of its own.
 */
export function networksOf(address: string): readonly string[] {
  if (isIP(address) !== 6) return [address];
  const groups = groupsOf(address).map((group) => group.toString(16));
  return [`${groups.slice(0, 4).join(":")}::/64`, `${groups.slice(0, 3).join(":")}::/48`];
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const [before = "", after] = address.split("::");
  const [start, end] = [groupsIn(before), groupsIn(after ?? "")];
  return [...start, ...Array<number>(8 - start.length - end.length).fill(0), ...end];
}

/** The groups of a part; one in the form of IPv4 makes two. */
function groupsIn(part: string): number[] {
  if (part === "") return [];
  return part.split(":").flatMap((group) => {
    if (!group.includes(".")) return [parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

function mappedIPv4(groups: readonly number[]): string | null {
  const [high = 0, low = 0] = groups.slice(6);
  if (groups.slice(0, 5).some((group) => group !== 0) || groups[5] !== 0xffff) return null;
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i;

/** Whether a host, or an address, is this machine to itself. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/** Addresses that no client on the Internet has: RFC 1918, RFC 6598, RFC 3927, RFC 4193, RFC 4291, loopback. */
const PRIVATE = blocksOf([
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "::1",
  "fc00::/7",
  "fe80::/10",
]);

/** @param address As `parseAddress` gives it. */
export function isPrivate(address: string): boolean {
  return isWithin(PRIVATE, address);
}

/** Whether a text is an address, or a block of them (RFC 4632, RFC 4291). */
export function isNetwork(text: string): boolean {
  const [, address = "", bits = "0"] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(address);
  return family > 0 && Number(bits) <= (family === 6 ? 128 : 32);
}

/**
 * @param entries Addresses, and blocks such as `10.0.0.0/8`.
 * @throws {Error} One of them is neither.
 */
export function blocksOf(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = "", bits] = entry.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (isIP(address) === 0) throw new Error(`Cannot read '${entry}': it is no address`);
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

export function isWithin(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family > 0 && list.check(address, family === 6 ? "ipv6" : "ipv4");
}
