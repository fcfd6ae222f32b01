// Which addresses are public: none that leads into a network that a server stands in, however it is written.
import assert from "node:assert/strict";
import fc from "fast-check";
import { isPublicAddress } from "../../core/public_addresses.ts";

const INSIDE = [
  "0.0.0.0",
  "0.1.2.3",
  "10.1.2.3",
  "100.64.0.1",
  "100.127.255.255",
  "127.0.0.1",
  "127.255.255.254",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.192",
  "192.0.2.1",
  "192.168.1.1",
  "198.18.0.1",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::7f00:1",
  "::ffff:127.0.0.1",
  "::ffff:a9fe:a9fe",
  "64:ff9b::a00:1",
  "64:ff9b:1::1",
  "100::1",
  "2001::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "3fff::1",
  "5f00::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "ff02::1",
  "not an address",
  "",
];

const OUTSIDE = ["1.1.1.1", "93.184.216.34", "100.63.0.1", "172.32.0.1", "2606:4700::1111"];

Deno.test("public addresses: what is private, local or special is none", () => {
  for (const address of INSIDE) assert.equal(isPublicAddress(address), false, address);
  for (const address of OUTSIDE) assert.equal(isPublicAddress(address), true, address);
});

Deno.test("public addresses: an IPv4 address in the form of IPv6 is judged as what it is", () => {
  fc.assert(fc.property(fc.ipV4(), (address) => {
    assert.equal(isPublicAddress(`::ffff:${address}`), isPublicAddress(address));
  }));
});
