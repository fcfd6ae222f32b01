// Whose address a request has: the peer's, or one that a trusted proxy forwards.
import assert from "node:assert/strict";
import { configure, type LogRecord, reset } from "@logtape/logtape";
import type { Context } from "hono";
import { clientAddresses } from "../../middleware/client_address.ts";

/** As much of a request as the address is read from. */
function requestFrom(peer: string | undefined, forwarded?: string): Context {
  const headers = new Headers(forwarded === undefined ? {} : { "x-forwarded-for": forwarded });
  const info = peer === undefined ? undefined : { remoteAddr: { hostname: peer } };
  return { env: { info }, req: { raw: { headers } } } as unknown as Context;
}

const TRUSTED = ["10.0.0.0/8", "2001:db8:ff::/48"];

const CASES: readonly (readonly [
  name: string,
  peer: string | undefined,
  forwarded: string | undefined,
  address: string,
])[] = [
  ["nobody forwards", "192.0.2.1", undefined, "192.0.2.1"],
  ["a stranger's header says nothing", "192.0.2.1", "198.51.100.1", "192.0.2.1"],
  ["a private stranger's neither", "192.168.0.1", "198.51.100.1", "192.168.0.1"],
  ["no connection", undefined, undefined, "127.0.0.1"],
  ["an IPv4 peer in the form of IPv6", "::ffff:192.0.2.1", undefined, "192.0.2.1"],
  ["a trusted peer in the form of IPv6", "::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"],
  ["a trusted peer that forwards nothing", "10.0.0.1", undefined, "10.0.0.1"],
  ["a trusted peer that forwards an empty header", "10.0.0.1", "", "10.0.0.1"],
  ["the client before one proxy", "10.0.0.1", "198.51.100.1", "198.51.100.1"],
  ["what the client claims is not believed", "10.0.0.1", "1.1.1.1, 198.51.100.1", "198.51.100.1"],
  ["the client before two proxies", "10.0.0.1", "198.51.100.1, 10.0.0.2", "198.51.100.1"],
  ["all are proxies: the outermost", "10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
  ["with a port", "10.0.0.1", "198.51.100.1:50123", "198.51.100.1"],
  ["IPv6", "10.0.0.1", "2001:DB8::7", "2001:db8::7"],
  ["IPv6 in brackets with a port", "10.0.0.1", "[2001:db8::7]:443", "2001:db8::7"],
  ["an IPv6 proxy", "2001:db8:ff::1", "198.51.100.1", "198.51.100.1"],
  ["IPv4 in the form of IPv6", "10.0.0.1", "::ffff:198.51.100.1", "198.51.100.1"],
  ["a proxy in the form of IPv6", "10.0.0.1", "198.51.100.1, ::ffff:10.0.0.9", "198.51.100.1"],
  ["garbage ends it: the last that is known", "10.0.0.1", "198.51.100.1, unknown", "10.0.0.1"],
  ["garbage beyond the client", "10.0.0.1", "<script>, 198.51.100.1", "198.51.100.1"],
  ["commas alone", "10.0.0.1", ",,,", "10.0.0.1"],
];

for (const [name, peer, forwarded, address] of CASES) {
  Deno.test(`client address: ${name}`, () => {
    assert.equal(clientAddresses(TRUSTED).addressOf(requestFrom(peer, forwarded)), address);
  });
}

Deno.test("client address: a long header takes no time", () => {
  const { addressOf } = clientAddresses(TRUSTED);
  const hops = Array<string>(5000).fill("10.0.0.2").join(",");
  assert.equal(addressOf(requestFrom("10.0.0.1", `198.51.100.1,${hops}`)), "198.51.100.1");
});

Deno.test("client address: a private peer that forwards and is not named is told of once", async () => {
  const records: LogRecord[] = [];
  await configure({
    sinks: { memory: (record) => records.push(record) },
    loggers: [{ category: "quarterdeck", lowestLevel: "warning", sinks: ["memory"] }, {
      category: ["logtape", "meta"],
      lowestLevel: "fatal",
      sinks: ["memory"],
    }],
    reset: true,
  });
  try {
    const { addressOf, isShared } = clientAddresses(["10.0.0.1"]);
    addressOf(requestFrom("10.0.0.1", "198.51.100.1"));
    addressOf(requestFrom("192.0.2.1", "198.51.100.1"));
    addressOf(requestFrom("172.17.0.1"));
    assert.equal(records.length, 0);
    assert.equal(isShared("172.17.0.1"), false);
    for (let i = 0; i < 3; i++) addressOf(requestFrom("172.17.0.1", "198.51.100.1"));
    assert.equal(records.length, 1);
    assert.match(records[0]!.message.join(""), /TRUSTED_PROXIES.*172\.17\.0\.1/);
    assert.deepEqual(
      ["172.17.0.1", "10.0.0.1", "192.0.2.1"].map((address) => isShared(address)),
      [true, false, false],
    );
  } finally {
    await reset();
  }
});
