// IP addresses in every form that a peer or a header may give.
import assert from "node:assert/strict";
import fc from "fast-check";
import { isPrivate, networksOf, parseAddress } from "../../core/addresses.ts";

const FORMS: readonly (readonly [text: string, address: string | null])[] = [
  ["192.0.2.1", "192.0.2.1"],
  [" 192.0.2.1 ", "192.0.2.1"],
  ["192.0.2.1:443", "192.0.2.1"],
  ["2001:DB8::1", "2001:db8::1"],
  ["[2001:db8::1]", "2001:db8::1"],
  ["[2001:db8::1]:443", "2001:db8::1"],
  ["fe80::1%eth0", "fe80::1"],
  ["::1", "::1"],
  ["::", "::"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["::FFFF:c000:201", "192.0.2.1"],
  ["0:0:0:0:0:ffff:c000:0201", "192.0.2.1"],
  ["[::ffff:192.0.2.1]:80", "192.0.2.1"],
  ["::fffe:192.0.2.1", "::fffe:192.0.2.1"],
  ["64:ff9b::192.0.2.1", "64:ff9b::192.0.2.1"],
  ...["", "unknown", "_hidden", "192.0.2", "192.0.2.256", "192.0.2.1:x", "192.0.2.01", ":::"].map(
    (text) => [text, null] as const,
  ),
  ...["1:2:3:4:5:6:7:8:9", "example.com", "[2001:db8::1", "2001:db8::1]:1", "\0", "1"].map(
    (text) => [text, null] as const,
  ),
];

for (const [text, address] of FORMS) {
  Deno.test(`addresses: ${JSON.stringify(text)} is ${address ?? "none"}`, () => {
    assert.equal(parseAddress(text), address);
  });
}

Deno.test("addresses: whatever is sent, an address or none, and the same again", () => {
  const hostile = fc.oneof(
    fc.string(),
    fc.ipV4(),
    fc.ipV6(),
    fc.stringMatching(/^[0-9a-f:.[\]%]{0,45}$/),
  );
  fc.assert(fc.property(hostile, (text) => {
    const address = parseAddress(text);
    if (address === null) return;
    assert.equal(parseAddress(address), address);
    assert.ok(networksOf(address).length > 0);
  }));
});

Deno.test("addresses: the networks of a client, however it is written", () => {
  const cases: [string, string[]][] = [
    ["192.0.2.1", ["192.0.2.1"]],
    ["2001:db8:0:7::1", ["2001:db8:0:7::/64", "2001:db8:0::/48"]],
    ["2001:0db8::7:0:0:0:9", ["2001:db8:0:7::/64", "2001:db8:0::/48"]],
    ["2001:db8:0:7:1:2:3:4", ["2001:db8:0:7::/64", "2001:db8:0::/48"]],
    ["64:ff9b::192.0.2.1", ["64:ff9b:0:0::/64", "64:ff9b:0::/48"]],
    ["::1", ["0:0:0:0::/64", "0:0:0::/48"]],
    ["not an address", ["not an address"]],
  ];
  for (const [address, networks] of cases) assert.deepEqual(networksOf(address), networks);
});

Deno.test("addresses: which ones are private", () => {
  const yes = ["10.1.2.3", "172.31.0.1", "192.168.1.1", "127.0.0.1", "100.64.0.1", "169.254.1.1"];
  const no = ["192.0.2.1", "172.32.0.1", "2001:db8::1", "100.128.0.1", "unknown"];
  for (const address of [...yes, "::1", "fd00::1", "fe80::1"]) assert.ok(isPrivate(address));
  for (const address of no) assert.equal(isPrivate(address), false, address);
});
