// The keys by which hits are counted: what kinds there are, and what each may usually have.
import { type RateLimit, type RateLimitName, rateLimits } from "./limits.ts";

/**
 * The factor by which the limit for all known devices of an account is higher than for one of them. There is such a
 * limit because whoever had the password once may have made any number of devices known.
 */
export const OF_DEVICES = 10;

/** The account comes last in a key: an e-mail address may hold anything but a line break, which separates the parts. */
export const keys = {
  network: (network: string) => `network\n${network}`,
  pair: (network: string, account: string) => `pair\n${network}\n${account}`,
  account: (account: string) => `account\n${account}`,
  device: (device: string, account: string) => `device\n${device}\n${account}`,
  devices: (account: string) => `devices\n${account}`,
};

/** The hits that a key may usually have. */
export function usualLimit(name: RateLimitName, key: string): number {
  const { perNetwork, perPair, perAccount, slowAfter }: RateLimit = rateLimits[name];
  const ofKind: Readonly<Record<string, number | undefined>> = {
    network: perNetwork,
    pair: perPair,
    account: perAccount ?? slowAfter,
    device: perPair,
    devices: perPair && perPair * OF_DEVICES,
  };
  return ofKind[key.slice(0, key.indexOf("\n"))] ?? Infinity;
}
